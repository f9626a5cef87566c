// Search in the index that pagefind has written next to the pages.
const form = document.getElementById("search");
const filters = document.getElementById("filters");
const status = document.getElementById("status");
const list = document.getElementById("results");
const more = document.getElementById("more");
const AT_ONCE = 10;
let pagefind = null;
let bundles = [];
document.getElementById("browse").hidden = true;
let found = [];
let shown = 0;
let asked = 0;

function filled(message, value) {
  return message.replace("{0}", value);
}

function plain(text) {
  const letters = { "&lt;": "<", "&gt;": ">", "&quot;": '"', "&#39;": "'", "&#x27;": "'", "&amp;": "&" };
  return text.replace(/&(?:lt|gt|quot|#39|#x27|amp);/g, (name) => letters[name]);
}

// The excerpt marks its hits; nothing else in it becomes an element.
function excerpt(text) {
  const shown = document.createElement("p");
  text.split(/<mark>([^]*?)<\/mark>/).forEach((part, index) => {
    const words = document.createTextNode(plain(part));
    if (index % 2) {
      const mark = document.createElement("mark");
      mark.append(words);
      shown.append(mark);
    } else shown.append(words);
  });
  return shown;
}

function link(address, text) {
  const made = document.createElement("a");
  made.href = address;
  made.textContent = text;
  return made;
}

function entry(hit) {
  const article = document.createElement("article");
  article.className = "hit";
  const title = document.createElement("h2");
  title.append(link(hit.meta.address, hit.meta.title));
  const about = document.createElement("p");
  about.className = "meta";
  about.textContent = [hit.meta.about, hit.meta.page && filled(list.dataset.page, hit.meta.page)].filter(Boolean).join(" · ");
  article.append(title, about);
  const parts = (hit.sub_results || []).filter((part) => part.anchor);
  if (parts.length) {
    for (const part of parts.slice(0, 3)) {
      const shown = excerpt(part.excerpt);
      shown.prepend(link(`${hit.meta.address}#${part.anchor.id}`, part.title), " ");
      article.append(shown);
    }
    if (parts.length > 3) {
      const rest = document.createElement("p");
      rest.className = "meta";
      rest.textContent = filled(list.dataset.more, parts.length - 3);
      article.append(rest);
    }
  } else article.append(excerpt(hit.excerpt));
  return article;
}

async function showMore() {
  const mine = asked;
  const some = await Promise.all(found.slice(shown, shown + AT_ONCE).map((hit) => hit.data()));
  if (mine !== asked) return;
  shown += some.length;
  list.append(...some.map(entry));
  more.hidden = shown >= found.length;
}

// The bundles follow each other in time, and a result is ordered by its place within its own.
async function find(words, options) {
  if (!options.sort || bundles.length < 2) return (await pagefind.search(words, options)).results;
  const order = bundles.map((_, number) => `${number}`);
  if (options.sort.date === "desc") order.reverse();
  const some = await Promise.all(order.map((bundle) => pagefind.search(words, { ...options, filters: { ...options.filters, bundle } })));
  return some.flatMap((each) => each.results);
}

function query() {
  const given = new URLSearchParams(location.search);
  return Object.fromEntries(["q", "body", "kind", "year", "sort"].map((name) => [name, given.get(name) || ""]));
}

async function search() {
  const given = query();
  const mine = ++asked;
  form.elements.q.value = given.q;
  for (const name of ["body", "kind", "year", "sort"]) filters.elements[name].value = given[name];
  list.replaceChildren();
  more.hidden = true;
  if (!given.q.trim()) return;
  status.textContent = status.dataset.searching;
  const chosen = Object.fromEntries(["body", "kind", "year"].filter((name) => given[name]).map((name) => [name, given[name]]));
  const options = { filters: chosen };
  if (given.sort) options.sort = { date: given.sort };
  const results = await find(given.q, options);
  if (mine !== asked) return;
  found = results;
  shown = 0;
  await showMore();
  if (mine !== asked) return;
  // Announce the count only when the results are on the page.
  status.textContent = found.length ? filled(status.dataset.found, found.length) : filled(status.dataset.nothing, given.q);
}

function go(changes) {
  const given = { ...query(), ...changes };
  const kept = new URLSearchParams(Object.entries(given).filter(([, value]) => value));
  history.pushState(null, "", `?${kept}`);
  attempt(search);
}

async function attempt(action) {
  try {
    await action();
  } catch (error) {
    console.warn(error);
    status.textContent = status.dataset.failed;
  }
}

form.addEventListener("submit", (event) => {
  event.preventDefault();
  go({ q: form.elements.q.value });
});
filters.addEventListener("change", (event) => go({ [event.target.name]: event.target.value }));
more.addEventListener("click", () => attempt(showMore));
window.addEventListener("popstate", () => attempt(search));

attempt(async () => {
  const folder = new URL("pagefind/", document.baseURI);
  const listed = await fetch(new URL("bundles.json", folder));
  // An index of before there were bundles is one itself.
  bundles = listed.ok ? (await listed.json()).map((name) => `${name}/`) : [""];
  const [first, ...others] = bundles.map((name) => new URL(name, folder).href);
  pagefind = await import(`${first}pagefind.js`);
  await pagefind.options({ excerptLength: 30, mergeFilter: { bundle: "0" } });
  await pagefind.init();
  await Promise.all(others.map((address, number) => pagefind.mergeIndex(address, { excerptLength: 30, mergeFilter: { bundle: `${number + 1}` } })));
  const offered = await pagefind.filters();
  for (const name of ["body", "kind", "year"]) {
    const values = Object.keys(offered[name] || {}).sort();
    if (name === "year") values.reverse();
    filters.elements[name].append(...values.map((value) => new Option(value, value)));
  }
  filters.hidden = false;
  await search();
});
