// Search in the index that pagefind has written next to the pages.
const form = document.getElementById("search");
const filters = document.getElementById("filters");
const status = document.getElementById("status");
const list = document.getElementById("results");
const more = document.getElementById("more");
const AT_ONCE = 10;
let pagefind = null;
document.getElementById("browse").hidden = true;
let found = [];
let shown = 0;
let asked = 0;

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
  about.textContent = [hit.meta.about, hit.meta.page && `page ${hit.meta.page}`].filter(Boolean).join(" · ");
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
      rest.textContent = `and ${parts.length - 3} more pages`;
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
  status.textContent = "Searching …";
  const chosen = Object.fromEntries(["body", "kind", "year"].filter((name) => given[name]).map((name) => [name, given[name]]));
  const options = { filters: chosen };
  if (given.sort) options.sort = { date: given.sort };
  const result = await pagefind.search(given.q, options);
  if (mine !== asked) return;
  found = result.results;
  shown = 0;
  status.textContent = found.length ? `${found.length} ${found.length === 1 ? "result" : "results"}` : `Nothing was found for “${given.q}”.`;
  await showMore();
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
    status.textContent = "The search index could not be loaded. Reload the page; a page opened from a file, without a web server, cannot search.";
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
  pagefind = await import(new URL("pagefind/pagefind.js", document.baseURI));
  await pagefind.options({ excerptLength: 30 });
  const offered = await pagefind.filters();
  for (const name of ["body", "kind", "year"]) {
    const values = Object.keys(offered[name] || {}).sort();
    if (name === "year") values.reverse();
    filters.elements[name].append(...values.map((value) => new Option(value, value)));
  }
  filters.hidden = false;
  await search();
});
