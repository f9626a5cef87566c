SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
SET xmloption = content;
SET client_min_messages = warning;
SET row_security = off;
SET default_tablespace = '';
SET default_table_access_method = heap;
CREATE TABLE public.alembic_version (
    version_num character varying(32) NOT NULL
);
CREATE TABLE public.annotation_documents (
    id bigint NOT NULL,
    sourcedb character varying NOT NULL,
    sourceid character varying NOT NULL,
    digest character varying NOT NULL,
    text text NOT NULL,
    job_id bigint
);
CREATE SEQUENCE public.annotation_documents_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.annotation_documents_id_seq OWNED BY public.annotation_documents.id;
CREATE TABLE public.annotation_issues (
    id bigint NOT NULL,
    job_id bigint NOT NULL,
    code character varying NOT NULL,
    message text NOT NULL,
    file character varying DEFAULT ''::character varying NOT NULL,
    line integer DEFAULT 0 NOT NULL,
    sourcedb character varying DEFAULT ''::character varying NOT NULL,
    sourceid character varying DEFAULT ''::character varying NOT NULL,
    detail text DEFAULT ''::text NOT NULL,
    times integer DEFAULT 1 NOT NULL
);
CREATE SEQUENCE public.annotation_issues_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.annotation_issues_id_seq OWNED BY public.annotation_issues.id;
CREATE TABLE public.annotation_projects (
    id bigint NOT NULL,
    name character varying NOT NULL,
    documents bigint DEFAULT 0 NOT NULL,
    denotations bigint DEFAULT 0 NOT NULL,
    blocks bigint DEFAULT 0 NOT NULL,
    relations bigint DEFAULT 0 NOT NULL,
    attributes bigint DEFAULT 0 NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL
);
CREATE SEQUENCE public.annotation_projects_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.annotation_projects_id_seq OWNED BY public.annotation_projects.id;
CREATE TABLE public.annotation_sets (
    id bigint NOT NULL,
    project_id bigint NOT NULL,
    document_id bigint NOT NULL,
    job_id bigint,
    former_id bigint,
    is_current boolean NOT NULL,
    denotations bigint DEFAULT 0 NOT NULL,
    blocks bigint DEFAULT 0 NOT NULL,
    relations bigint DEFAULT 0 NOT NULL,
    attributes bigint DEFAULT 0 NOT NULL,
    namespaces text,
    tracks text,
    stored_at timestamp with time zone DEFAULT now() NOT NULL
);
CREATE SEQUENCE public.annotation_sets_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.annotation_sets_id_seq OWNED BY public.annotation_sets.id;
CREATE TABLE public.annotation_uploads (
    job_id bigint NOT NULL,
    project_id bigint NOT NULL,
    state character varying DEFAULT 'open'::character varying NOT NULL,
    mode character varying NOT NULL,
    options jsonb DEFAULT '{}'::jsonb NOT NULL,
    source jsonb DEFAULT '{}'::jsonb NOT NULL,
    bytes bigint DEFAULT 0 NOT NULL,
    bytes_done bigint DEFAULT 0 NOT NULL,
    batches integer DEFAULT 0 NOT NULL,
    is_split boolean DEFAULT false NOT NULL,
    split_claim character varying,
    split_worker_id character varying,
    split_attempt integer DEFAULT 0 NOT NULL,
    documents bigint DEFAULT 0 NOT NULL,
    denotations bigint DEFAULT 0 NOT NULL,
    blocks bigint DEFAULT 0 NOT NULL,
    relations bigint DEFAULT 0 NOT NULL,
    attributes bigint DEFAULT 0 NOT NULL,
    retry_of bigint,
    created_by character varying,
    CONSTRAINT ck_annotation_uploads_state CHECK (((state)::text = ANY ((ARRAY['open'::character varying, 'suspended'::character varying, 'completed'::character varying, 'cancelled'::character varying, 'rolled_back'::character varying])::text[])))
);
CREATE TABLE public.attributes (
    set_id bigint NOT NULL,
    "position" integer NOT NULL,
    id character varying NOT NULL,
    subj character varying NOT NULL,
    pred text NOT NULL,
    value text NOT NULL
);
CREATE TABLE public.audit (
    id bigint NOT NULL,
    at timestamp with time zone DEFAULT now() NOT NULL,
    who character varying NOT NULL,
    action character varying NOT NULL,
    subject character varying,
    detail text
);
CREATE SEQUENCE public.audit_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.audit_id_seq OWNED BY public.audit.id;
CREATE TABLE public.batch_failures (
    stage character varying NOT NULL,
    sourcedb character varying NOT NULL,
    sourceid character varying NOT NULL,
    failed integer DEFAULT 0 NOT NULL,
    crashed integer DEFAULT 0 NOT NULL,
    alone integer DEFAULT 0 NOT NULL,
    last_at timestamp with time zone NOT NULL,
    error text
);
CREATE TABLE public.batch_history (
    hour timestamp with time zone NOT NULL,
    stage character varying NOT NULL,
    completed integer DEFAULT 0 NOT NULL,
    failed integer DEFAULT 0 NOT NULL,
    crashed integer DEFAULT 0 NOT NULL,
    split integer DEFAULT 0 NOT NULL,
    seconds double precision DEFAULT 0 NOT NULL,
    longest_seconds double precision DEFAULT 0 NOT NULL,
    durations jsonb DEFAULT '{}'::jsonb NOT NULL
);
CREATE TABLE public.batch_job_trackings (
    id bigint NOT NULL,
    parent_job_id bigint NOT NULL,
    child_job_id character varying,
    status character varying DEFAULT 'pending'::character varying NOT NULL,
    doc_identifiers jsonb DEFAULT '[]'::jsonb NOT NULL,
    item_count integer NOT NULL,
    error_message text,
    started_at timestamp with time zone,
    completed_at timestamp with time zone,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    claim character varying,
    attempt integer DEFAULT 0 NOT NULL,
    worker_id character varying,
    current_item character varying,
    parent_batch_id bigint,
    payload jsonb,
    bytes bigint DEFAULT 0 NOT NULL,
    errors integer DEFAULT 0 NOT NULL,
    crashes integer DEFAULT 0 NOT NULL,
    available_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT ck_batch_job_trackings_item_count CHECK ((item_count > 0)),
    CONSTRAINT ck_batch_job_trackings_status CHECK (((status)::text = ANY ((ARRAY['pending'::character varying, 'running'::character varying, 'completed'::character varying, 'failed'::character varying, 'crashed'::character varying, 'split'::character varying])::text[])))
);
CREATE SEQUENCE public.batch_job_trackings_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.batch_job_trackings_id_seq OWNED BY public.batch_job_trackings.id;
CREATE TABLE public.blocks (
    set_id bigint NOT NULL,
    "position" integer NOT NULL,
    id character varying NOT NULL,
    span_begin integer NOT NULL,
    span_end integer NOT NULL,
    pieces text,
    obj text NOT NULL,
    value text
);
CREATE TABLE public.denotations (
    set_id bigint NOT NULL,
    "position" integer NOT NULL,
    id character varying NOT NULL,
    span_begin integer NOT NULL,
    span_end integer NOT NULL,
    pieces text,
    obj text NOT NULL,
    value text
);
CREATE TABLE public.items (
    id bigint NOT NULL,
    job_id bigint NOT NULL,
    run_id character varying NOT NULL,
    step character varying NOT NULL,
    document character varying,
    documents integer DEFAULT 1 NOT NULL,
    state character varying DEFAULT 'pending'::character varying NOT NULL,
    attempt integer DEFAULT 0 NOT NULL,
    errors integer DEFAULT 0 NOT NULL,
    crashes integer DEFAULT 0 NOT NULL,
    lost integer DEFAULT 0 NOT NULL,
    alone boolean DEFAULT false NOT NULL,
    claim character varying,
    available_at timestamp with time zone,
    bytes bigint,
    sha256 character varying,
    pages integer,
    error text,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    finished_at timestamp with time zone,
    CONSTRAINT ck_items_state CHECK (((state)::text = ANY ((ARRAY['pending'::character varying, 'running'::character varying, 'completed'::character varying, 'failed'::character varying, 'quarantined'::character varying, 'cancelled'::character varying])::text[])))
);
CREATE SEQUENCE public.items_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.items_id_seq OWNED BY public.items.id;
CREATE TABLE public.job_tracking (
    rq_job_id character varying NOT NULL,
    subdomain character varying NOT NULL,
    job_type character varying NOT NULL,
    stage character varying,
    created_at timestamp with time zone DEFAULT CURRENT_TIMESTAMP
);
CREATE TABLE public.jobs (
    id bigint NOT NULL,
    kind character varying NOT NULL,
    run_id character varying,
    subdomain character varying,
    stage character varying NOT NULL,
    queue character varying NOT NULL,
    state character varying DEFAULT 'open'::character varying NOT NULL,
    total integer DEFAULT 0 NOT NULL,
    completed integer DEFAULT 0 NOT NULL,
    failed integer DEFAULT 0 NOT NULL,
    rank integer DEFAULT 0 NOT NULL,
    busy_seconds double precision DEFAULT 0 NOT NULL,
    detail jsonb DEFAULT '{}'::jsonb NOT NULL,
    claimed_at timestamp with time zone DEFAULT now() NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    closed_at timestamp with time zone,
    CONSTRAINT ck_jobs_counts CHECK (((completed + failed) <= total)),
    CONSTRAINT ck_jobs_state CHECK (((state)::text = ANY ((ARRAY['open'::character varying, 'closed'::character varying])::text[])))
);
CREATE SEQUENCE public.jobs_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.jobs_id_seq OWNED BY public.jobs.id;
CREATE TABLE public.quarantine (
    id bigint NOT NULL,
    subdomain character varying NOT NULL,
    document character varying NOT NULL,
    sha256 character varying NOT NULL,
    engine character varying DEFAULT ''::character varying NOT NULL,
    state character varying NOT NULL,
    reason text NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL
);
CREATE SEQUENCE public.quarantine_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.quarantine_id_seq OWNED BY public.quarantine.id;
CREATE TABLE public.queues (
    name character varying NOT NULL,
    paused_by character varying,
    paused_at timestamp with time zone
);
CREATE TABLE public.relations (
    set_id bigint NOT NULL,
    "position" integer NOT NULL,
    id character varying NOT NULL,
    subj character varying NOT NULL,
    pred text NOT NULL,
    obj character varying NOT NULL
);
CREATE TABLE public.runs (
    run_id character varying NOT NULL,
    subdomain character varying NOT NULL,
    epoch integer NOT NULL,
    state character varying DEFAULT 'active'::character varying NOT NULL,
    goal_stage character varying,
    options jsonb DEFAULT '{}'::jsonb NOT NULL,
    reason text,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    finished_at timestamp with time zone,
    CONSTRAINT ck_runs_state CHECK (((state)::text = ANY ((ARRAY['active'::character varying, 'completed'::character varying, 'partial'::character varying, 'no_documents'::character varying, 'failed'::character varying, 'cancelled'::character varying, 'superseded'::character varying])::text[])))
);
CREATE TABLE public.sites (
    subdomain character varying NOT NULL,
    name character varying,
    state character varying,
    kind character varying,
    scraper character varying,
    pages integer,
    start_year integer,
    extra character varying,
    country character varying,
    lat character varying,
    lng character varying,
    current_stage character varying,
    started_at timestamp with time zone,
    updated_at timestamp with time zone,
    fetch_total integer DEFAULT 0,
    fetch_completed integer DEFAULT 0,
    fetch_failed integer DEFAULT 0,
    ocr_total integer DEFAULT 0,
    ocr_completed integer DEFAULT 0,
    ocr_failed integer DEFAULT 0,
    compilation_total integer DEFAULT 0,
    compilation_completed integer DEFAULT 0,
    compilation_failed integer DEFAULT 0,
    extraction_total integer DEFAULT 0,
    extraction_completed integer DEFAULT 0,
    extraction_failed integer DEFAULT 0,
    deploy_total integer DEFAULT 0,
    deploy_completed integer DEFAULT 0,
    deploy_failed integer DEFAULT 0,
    coordinator_enqueued boolean DEFAULT false,
    last_error_stage character varying,
    last_error_message text,
    last_error_at timestamp with time zone,
    CONSTRAINT ck_sites_compilation CHECK (((compilation_completed + compilation_failed) <= compilation_total)),
    CONSTRAINT ck_sites_deploy CHECK (((deploy_completed + deploy_failed) <= deploy_total)),
    CONSTRAINT ck_sites_extraction CHECK (((extraction_completed + extraction_failed) <= extraction_total)),
    CONSTRAINT ck_sites_fetch CHECK (((fetch_completed + fetch_failed) <= fetch_total)),
    CONSTRAINT ck_sites_ocr CHECK (((ocr_completed + ocr_failed) <= ocr_total))
);
CREATE TABLE public.stage_events (
    id bigint NOT NULL,
    at timestamp with time zone DEFAULT now() NOT NULL,
    event character varying NOT NULL,
    subdomain character varying,
    run_id character varying,
    stage character varying,
    completed integer DEFAULT 0 NOT NULL,
    failed integer DEFAULT 0 NOT NULL,
    seconds double precision,
    detail text
);
CREATE SEQUENCE public.stage_events_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.stage_events_id_seq OWNED BY public.stage_events.id;
CREATE TABLE public.tokens (
    id bigint NOT NULL,
    name character varying NOT NULL,
    role character varying NOT NULL,
    sha256 character varying NOT NULL,
    created_by character varying NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    revoked_at timestamp with time zone
);
CREATE SEQUENCE public.tokens_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.tokens_id_seq OWNED BY public.tokens.id;
CREATE TABLE public.workers (
    id character varying NOT NULL,
    host character varying NOT NULL,
    pid integer NOT NULL,
    queues character varying NOT NULL,
    lock_path character varying,
    version character varying,
    started_at timestamp with time zone DEFAULT now() NOT NULL,
    beat_at timestamp with time zone DEFAULT now() NOT NULL,
    lease_until timestamp with time zone NOT NULL
);
ALTER TABLE ONLY public.annotation_documents ALTER COLUMN id SET DEFAULT nextval('public.annotation_documents_id_seq'::regclass);
ALTER TABLE ONLY public.annotation_issues ALTER COLUMN id SET DEFAULT nextval('public.annotation_issues_id_seq'::regclass);
ALTER TABLE ONLY public.annotation_projects ALTER COLUMN id SET DEFAULT nextval('public.annotation_projects_id_seq'::regclass);
ALTER TABLE ONLY public.annotation_sets ALTER COLUMN id SET DEFAULT nextval('public.annotation_sets_id_seq'::regclass);
ALTER TABLE ONLY public.audit ALTER COLUMN id SET DEFAULT nextval('public.audit_id_seq'::regclass);
ALTER TABLE ONLY public.batch_job_trackings ALTER COLUMN id SET DEFAULT nextval('public.batch_job_trackings_id_seq'::regclass);
ALTER TABLE ONLY public.items ALTER COLUMN id SET DEFAULT nextval('public.items_id_seq'::regclass);
ALTER TABLE ONLY public.jobs ALTER COLUMN id SET DEFAULT nextval('public.jobs_id_seq'::regclass);
ALTER TABLE ONLY public.quarantine ALTER COLUMN id SET DEFAULT nextval('public.quarantine_id_seq'::regclass);
ALTER TABLE ONLY public.stage_events ALTER COLUMN id SET DEFAULT nextval('public.stage_events_id_seq'::regclass);
ALTER TABLE ONLY public.tokens ALTER COLUMN id SET DEFAULT nextval('public.tokens_id_seq'::regclass);
INSERT INTO public.alembic_version VALUES ('0005');
INSERT INTO public.annotation_documents VALUES (1, 'springfield', 'minutes/Council/2023-01-23/1', '22602cbdf9cfec439ea4c631e93bcf0ec2f1b53440d51892a2cec4db278ce5e9', 'TOWN OF MILLBROOK FALLS
TOWN COUNCIL
Minutes of the Regular Meeting of January 23, 2023
Council Chamber, Town Hall, 14 Bridge Street
The regular meeting of the Millbrook Falls Town Council was called to order at 7:00 p.m. by Council
President Margaret Oyelaran, who led the Pledge of Allegiance.
ROLL CALL
Present: Council President Margaret Oyelaran, Councilmembers Thomas Brandvold, Lucia Ferrante,
Dennis Whitcombe and Priya Raghunathan
Absent: None
Also present: Town Manager Ellen Varga, Town Clerk Ruth Hallenbeck, Town Attorney Joel
Stratemeyer, Director of Public Works Carl Nyquist
APPROVAL OF MINUTES
A motion was made by Councilmember Brandvold and seconded by Councilmember Ferrante to
approve the minutes of the regular meeting of January 9, 2023, as printed. The motion carried
unanimously.
PUBLIC COMMENT
Walter Penhallow, 88 Gristmill Road, said that the storm drain in front of his house had been blocked
since the ice storm of December 17, 2022, and that water stands in the road after every rain. Mr.
Nyquist said that a crew would look at the drain before Friday.
Bernadette Osei, 12 Orchard Lane, thanked the Council for the new crosswalk at the library and
asked that the same be done at the corner of Tannery Street and Falls Avenue. She handed in a
petition with 147 signatures.
CONSENT AGENDA
a. Warrant No. 23-02 in the amount of $418,306.72
b. Renewal of the common victualler license of the Kettle & Crane, 31 Bridge Street
c. Appointment of Lorraine Beauchesne to the Library Board of Trustees, term ending June 30,
2025
Councilmember Raghunathan asked that item b be taken out and voted on its own. Motion by
Councilmember Ferrante, seconded by Councilmember Whitcombe, to approve items a and c of the
consent agenda. Motion carried 5-0.
Motion by Councilmember Whitcombe, seconded by Councilmember Brandvold, to approve item b.
Councilmember Raghunathan stated that she is a tenant of the building and recused herself. Motion
carried 4-0, with one recusal.
ORDINANCE NO. 2023-01: WATER AND SEWER RATES
The Town Clerk read by title Ordinance No. 2023-01, An Ordinance Amending Chapter 142 of the
Town Code, Water and Sewer Rates. Ms. Varga explained that the minimum quarterly bill would rise
from $62.50 to $66.25 on July 1, 2023, the first increase since 2019, and that the water fund would
Page 1 of 3', 6);
INSERT INTO public.annotation_documents VALUES (2, 'springfield', 'minutes/Council/2023-01-23/2', 'dc9f0d45b6c54f3cfd2d70a35c2cee0aabf5abeb6e4349436291c14b56385b1e', 'otherwise end the year with a deficit of about $184,000.
The public hearing was opened at 7:32 p.m. Harriet Lindgren, 205 Cooper''s Hollow Road, said that
people with fixed incomes cannot pay more. Gordon Abernethy of the Millbrook Falls Taxpayers
Association asked why the hydrant rental charge had not been raised first. There being no one else
who wished to be heard, the hearing was closed at 7:51 p.m.
A motion was made by Councilmember Brandvold and seconded by Councilmember Raghunathan to
adopt Ordinance No. 2023-01. The motion carried by the following vote:
AYES: Brandvold, Ferrante, Oyelaran, Raghunathan
NOES: Whitcombe
ABSENT: None
TANNERY FOOTBRIDGE
Mr. Nyquist reported on the state of the Tannery footbridge over the East Branch. The engineers,
Halvorsen Pruitt Associates, found that two of the six floor beams have lost a third of their section.
Closing the bridge is not necessary, but it should not carry more than twenty people at a time, and it
should be repaired before the winter of 2024. The estimate is $236,500, of which the State may pay
eighty percent.
Councilmember Ferrante moved to authorize the Town Manager to apply for a grant from the Small
Bridge Program and to sign all papers necessary for it. Councilmember Brandvold seconded the
motion. Upon voice vote the motion carried unanimously, 5-0.
RESOLUTION 2023-04: SNOW EMERGENCY ROUTES
WHEREAS, the streets of the Town must be kept open to fire engines and ambulances in winter; and
WHEREAS, cars left at the curb of Mill Street, Bridge Street and Falls Avenue hindered the plows
on four nights of the present season;
NOW, THEREFORE, BE IT RESOLVED that the said streets are snow emergency routes, on which
no vehicle shall be parked from two hours after an emergency is declared until it is lifted.
Councilmember Whitcombe moved to adopt Resolution 2023-04. Councilmember Raghunathan
seconded. Councilmember Brandvold then moved to amend the resolution by striking out "two
hours" and inserting "four hours". The amendment was seconded by Councilmember Ferrante. The
amendment failed 2-3. The vote was then taken on the main motion, which passed 4-1,
Councilmember Brandvold opposed.
PARKING METERS ON MILL STREET
Councilmember Whitcombe moved to remove the eleven parking meters on Mill Street between
Bridge Street and the post office. The motion died for lack of a second.
TOWN MANAGER''S REPORT
Ms. Varga reported that the audit of the fiscal year 2022 accounts is complete and without findings,
that the bid for the senior center roof came in at $91,740 from Dunmore Roofing, Inc., and that the
Town received $38,200 from the opioid settlement fund. The budget calendar calls for the first draft
Page 2 of 3', 6);
INSERT INTO public.annotation_documents VALUES (3, 'springfield', 'minutes/Council/2023-01-23/3', 'd86a072931bd25e32113c4d23fd1578dc9d150bf24cebdf28e68b1996175b672', 'by March 13, 2023.
EXECUTIVE SESSION
Motion by Councilmember Ferrante, seconded by Councilmember Brandvold, to enter executive
session at 8:46 p.m. to discuss the lease of 9 Depot Square, not to return to open session.
ROLL CALL: Mr. Brandvold, yes; Ms. Ferrante, yes; Mr. Whitcombe, yes; Ms. Raghunathan, yes;
President Oyelaran, yes. Motion carried.
ADJOURNMENT
The meeting was adjourned at 9:10 p.m.
Respectfully submitted,
Ruth Hallenbeck, Town Clerk
Approved February 13, 2023
Page 3 of 3', 6);
INSERT INTO public.annotation_documents VALUES (4, 'springfield', 'minutes/Council/2024-06-10/1', '3dea74bd6fbcafadc440a5999db5ebff9c652798cac5b26f9a45f1ef7c90138d', 'OFFICIAL PROCEEDINGS OF THE TOWN COUNCIL
Town of Millbrook Falls, Monday, June 10, 2024
Published as required by Section 3-8 of the Charter
The Town Council met in regular session at 7:00 p.m.
Present: President Lucia Ferrante, Councilmembers
Thomas Brandvold, Naomi Castellane and Margaret
Oyelaran. Absent: Councilmember Priya Raghunathan.
MINUTES
Moved by Oyelaran, seconded by Brandvold, to
approve the minutes of May 20, 2024. Motion carried
4-0.
PUBLIC COMMENT
Walter Penhallow, 88 Gristmill Road, said that the
drain in front of his house is blocked again.
Yolanda Truax, owner of the Kettle & Crane, 31 Bridge
Street, spoke for outdoor dining and said that she would
hire two more people.
Bertrand Ouellette, 19 Mill Street, said that a
wheelchair cannot pass where there are tables, and
asked the Council to walk the street with him. President
Ferrante and Councilmember Castellane said they
would.
WARRANT
Moved by Brandvold, seconded by Castellane, to
approve Warrant No. 24-11 in the amount of
$611,092.15. Ayes: Brandvold, Castellane, Ferrante,
Oyelaran. Nays: none. Motion carried.
ORDINANCE 2024-07
The hearing on Ordinance No. 2024-07, Outdoor
Dining, was opened at 7:21 p.m. and closed at 7:58
p.m. Eleven persons were heard.
Moved by Castellane, seconded by Oyelaran, to adopt
the ordinance. Moved by Brandvold to amend by
raising the fee from $75 to $200; the motion to amend
died for want of a second. Moved by Oyelaran,
seconded by Castellane, to amend so that six feet of the
sidewalk stay free at all times; amendment carried 4-0.
On the ordinance as amended: Ayes: Castellane,
Ferrante, Oyelaran. Nays: Brandvold. Motion carried
3-1.
RESOLUTION 2024-15
The chair of the library trustees, Lorraine Beauchesne,
showed photographs of the buckets in the children''s
room. The slates are of 1923 and cannot be bought any
more; the trustees have found a quarry in the next
county that will cut them.
Moved by Oyelaran, seconded by Brandvold, to adopt
Resolution 2024-15 and to take $54,300 from the
capital reserve. Carried unanimously.
BUDGET
Moved by Brandvold, seconded by Oyelaran, to adopt
the Fiscal Year 2025 budget of $20,187,400.
Councilmember Castellane asked that the vote on the
police overtime account, $212,000, be taken apart. On
the police overtime account: Ayes: Brandvold,
Ferrante, Oyelaran. Nays: Castellane. Carried 3-1. On
the remainder of the budget: carried 4-0.
FALLS AVENUE
Mr. Nyquist reported that 1,140 of 1,900 feet of water
main are in the ground and that the detour by Orchard
Lane will end on July 19, 2024. Two residents asked
that the school bus stop be moved back to the corner of
Tannery Street; Chief Sorrel will see to it.
BAND CONCERTS
Moved by Castellane, seconded by Brandvold, to spend
not more than $6,400 on eight band concerts at Tannery
Park. Motion carried 4-0.
COUNCIL COMMENTS
Councilmember Oyelaran thanked the volunteers who
planted the traffic island at Depot Square.
Councilmember Brandvold reminded everybody that
dogs must be licensed by June 30; the fee is $15, or $10
for dogs that have been neutered.
President Ferrante said that the joint meeting with the
School Committee on the roof of the middle school will
be held on September 4, 2024, at 6:30 p.m. in the
school library.
NOTICES
The Assessor gives notice that applications for the
exemption of veterans are due on August 1, 2024. The
Board of Health will hold a rabies clinic at the fire
station, 60 Mill Street, on Saturday, June 22, 2024,
from 9:00 a.m. to noon; the charge is $12 for each
animal.
Page 1 of 2', 6);
INSERT INTO public.annotation_documents VALUES (5, 'springfield', 'minutes/Council/2024-06-10/2', '82d4e410732df02e9095e011babbd4900b83804825a252a7e3da9e069edc0bc9', 'Town Council, June 10, 2024
The Collector gives notice that the second half of the
real estate tax is due on July 1, 2024. Interest at
fourteen percent runs from that day on what is not paid.
Payments may be put into the box at the side door of
Town Hall at any hour.
The Recreation Department seeks lifeguards for the
pond at Cooper''s Hollow. The wage is $18.50 an hour.
The Department of Public Works will flush hydrants in
the week of June 17, 2024, from Monday to Thursday,
between 8:00 p.m. and 4:00 a.m. The water may look
brown for some hours. It is safe to drink, but white
clothes should not be washed in it.
ADJOURNMENT
There being no further business, moved by Brandvold,
seconded by Castellane, to adjourn at 9:02 p.m. Motion
carried.
Attest: Ruth Hallenbeck, Town Clerk
Page 2 of 2', 6);
INSERT INTO public.annotation_documents VALUES (6, 'springfield', 'minutes/101', '054e0f879214fbca1ff039131f8d8dd89f85f3e1888d870700e638340e1596bc', 'The clerk read the minutes of the last meeting and the council approved them.', 10);
INSERT INTO public.annotation_documents VALUES (7, 'springfield', 'minutes/102', '054e0f879214fbca1ff039131f8d8dd89f85f3e1888d870700e638340e1596bc', 'The clerk read the minutes of the last meeting and the council approved them.', 10);
INSERT INTO public.annotation_documents VALUES (8, 'springfield', 'minutes/1', '9ad91db57dc5394a43e6e36eab762185db21b0a8e6eb76d68281e77aaa072cb7', 'The clerk read the minutes of the last meeting and the council approved them. Item 1.', 11);
INSERT INTO public.annotation_documents VALUES (9, 'springfield', 'minutes/2', 'e8ab82bb1e9d41831368ae2e7b70723373b2e57ebb742c5286f5e24df1e7ad7d', 'The clerk read the minutes of the last meeting and the council approved them. Item 2.', 11);
INSERT INTO public.annotation_documents VALUES (10, 'springfield', 'minutes/3', '05ef9bd7e14b438c0c054e6f1bb2437a4f22c87a015b137f1924e01b75324dfa', 'The clerk read the minutes of the last meeting and the council approved them. Item 3.', 11);
INSERT INTO public.annotation_documents VALUES (11, 'springfield', 'minutes/4', '4e48f1e9e16a846867c27463817b56def21cb5da6a4dd9f122cfd88be0509e61', 'The clerk read the minutes of the last meeting and the council approved them. Item 4.', 11);
INSERT INTO public.annotation_issues VALUES (1, 10, 'missing_source', 'sourcedb and sourceid are required', 'done.jsonl', 3, '', '', '', 1);
INSERT INTO public.annotation_projects VALUES (1, 'springfield/extraction', 5, 122, 0, 17, 296, '2026-11-17 06:01:00.802049+00');
INSERT INTO public.annotation_projects VALUES (2, 'reviewed', 2, 4, 0, 2, 2, '2026-11-17 06:01:08.215185+00');
INSERT INTO public.annotation_projects VALUES (3, 'half', 4, 8, 0, 4, 4, '2026-11-17 06:01:11.015066+00');
INSERT INTO public.annotation_sets VALUES (1, 1, 1, 6, NULL, true, 32, 0, 6, 66, NULL, NULL, '2026-11-17 06:01:00.992452+00');
INSERT INTO public.annotation_sets VALUES (2, 1, 2, 6, NULL, true, 25, 0, 9, 74, NULL, NULL, '2026-11-17 06:01:00.992452+00');
INSERT INTO public.annotation_sets VALUES (3, 1, 3, 6, NULL, true, 12, 0, 2, 24, NULL, NULL, '2026-11-17 06:01:00.992452+00');
INSERT INTO public.annotation_sets VALUES (4, 1, 4, 6, NULL, true, 44, 0, 0, 116, NULL, NULL, '2026-11-17 06:01:00.992452+00');
INSERT INTO public.annotation_sets VALUES (5, 1, 5, 6, NULL, true, 9, 0, 0, 16, NULL, NULL, '2026-11-17 06:01:00.992452+00');
INSERT INTO public.annotation_sets VALUES (6, 2, 6, 10, NULL, true, 2, 0, 1, 1, NULL, NULL, '2026-11-17 06:01:09.304168+00');
INSERT INTO public.annotation_sets VALUES (7, 2, 7, 10, NULL, true, 2, 0, 1, 1, NULL, NULL, '2026-11-17 06:01:09.304168+00');
INSERT INTO public.annotation_sets VALUES (8, 3, 8, 11, NULL, true, 2, 0, 1, 1, NULL, NULL, '2026-11-17 06:01:12.964888+00');
INSERT INTO public.annotation_sets VALUES (9, 3, 9, 11, NULL, true, 2, 0, 1, 1, NULL, NULL, '2026-11-17 06:01:12.964888+00');
INSERT INTO public.annotation_sets VALUES (10, 3, 10, 11, NULL, true, 2, 0, 1, 1, NULL, NULL, '2026-11-17 06:01:13.266647+00');
INSERT INTO public.annotation_sets VALUES (11, 3, 11, 11, NULL, true, 2, 0, 1, 1, NULL, NULL, '2026-11-17 06:01:13.266647+00');
INSERT INTO public.annotation_uploads VALUES (6, 1, 'completed', 'extracted', '{}', '{}', 0, 0, 0, true, NULL, NULL, 0, 5, 122, 0, 17, 296, NULL, NULL);
INSERT INTO public.annotation_uploads VALUES (10, 2, 'completed', 'replace', '{"mode": "replace", "align": "auto", "on_lost": "drop", "batch_bytes": 4194304, "batch_items": 20000, "create_docs": true}', '{"path": "{root}/sites/_clerk/uploads/524c40ee8542475ba36aad34db817a7d/stored", "files": ["done.jsonl"]}', 892, 892, 1, true, NULL, NULL, 1, 2, 4, 0, 2, 2, NULL, 'root');
INSERT INTO public.annotation_uploads VALUES (11, 3, 'open', 'replace', '{"mode": "replace", "align": "auto", "on_lost": "drop", "batch_bytes": 4194304, "batch_items": 2, "create_docs": true}', '{"path": "{root}/sites/_clerk/uploads/03a269d567f54af6a1aceccd28d0da1f/stored", "files": ["half.jsonl"]}', 3504, 1752, 4, true, NULL, NULL, 1, 4, 8, 0, 4, 4, NULL, NULL);
INSERT INTO public.attributes VALUES (1, 0, 'A1', 'T1', 'value', '"2023-01-23"');
INSERT INTO public.attributes VALUES (1, 1, 'A2', 'T2', 'value', '"14 Bridge Street"');
INSERT INTO public.attributes VALUES (1, 2, 'A3', 'T3', 'value', '"Millbrook Falls Town Council"');
INSERT INTO public.attributes VALUES (1, 3, 'A4', 'T4', 'value', '"Margaret Oyelaran"');
INSERT INTO public.attributes VALUES (1, 4, 'A5', 'T4', 'role', '"President"');
INSERT INTO public.attributes VALUES (1, 5, 'A6', 'T5', 'value', '"Margaret Oyelaran"');
INSERT INTO public.attributes VALUES (1, 6, 'A7', 'T5', 'role', '"Council President"');
INSERT INTO public.attributes VALUES (1, 7, 'A8', 'T6', 'value', '"Ellen Varga"');
INSERT INTO public.attributes VALUES (1, 8, 'A9', 'T6', 'role', '"Town Manager"');
INSERT INTO public.attributes VALUES (1, 9, 'A10', 'T7', 'value', '"Ruth Hallenbeck"');
INSERT INTO public.attributes VALUES (1, 10, 'A11', 'T7', 'role', '"Town Clerk"');
INSERT INTO public.attributes VALUES (1, 11, 'A12', 'T8', 'value', '"Joel"');
INSERT INTO public.attributes VALUES (1, 12, 'A13', 'T8', 'role', '"Town Attorney"');
INSERT INTO public.attributes VALUES (1, 13, 'A14', 'T9', 'value', '"Brandvold"');
INSERT INTO public.attributes VALUES (1, 14, 'A15', 'T9', 'role', '"Councilmember"');
INSERT INTO public.attributes VALUES (1, 15, 'A16', 'T10', 'value', '"Ferrante"');
INSERT INTO public.attributes VALUES (1, 16, 'A17', 'T10', 'role', '"Councilmember"');
INSERT INTO public.attributes VALUES (1, 17, 'A18', 'T11', 'value', '"2023-01-09"');
INSERT INTO public.attributes VALUES (1, 18, 'A19', 'T12', 'value', '"88 Gristmill Road"');
INSERT INTO public.attributes VALUES (1, 19, 'A20', 'T13', 'value', '"2022-12-17"');
INSERT INTO public.attributes VALUES (1, 20, 'A21', 'T14', 'value', '"12 Orchard Lane"');
INSERT INTO public.attributes VALUES (1, 21, 'A22', 'T15', 'value', '"418306.72 USD"');
INSERT INTO public.attributes VALUES (1, 22, 'A23', 'T16', 'value', '"31 Bridge Street"');
INSERT INTO public.attributes VALUES (1, 23, 'A24', 'T17', 'value', '"Library Board of Trustees"');
INSERT INTO public.attributes VALUES (1, 24, 'A25', 'T18', 'value', '"Raghunathan"');
INSERT INTO public.attributes VALUES (1, 25, 'A26', 'T18', 'role', '"Councilmember"');
INSERT INTO public.attributes VALUES (1, 26, 'A27', 'T19', 'value', '"Ferrante"');
INSERT INTO public.attributes VALUES (1, 27, 'A28', 'T19', 'role', '"Councilmember"');
INSERT INTO public.attributes VALUES (1, 28, 'A29', 'T20', 'value', '"Whitcombe"');
INSERT INTO public.attributes VALUES (1, 29, 'A30', 'T20', 'role', '"Councilmember"');
INSERT INTO public.attributes VALUES (1, 30, 'A31', 'T21', 'value', '"Whitcombe"');
INSERT INTO public.attributes VALUES (1, 31, 'A32', 'T21', 'role', '"Councilmember"');
INSERT INTO public.attributes VALUES (1, 32, 'A33', 'T22', 'value', '"Brandvold"');
INSERT INTO public.attributes VALUES (1, 33, 'A34', 'T22', 'role', '"Councilmember"');
INSERT INTO public.attributes VALUES (1, 34, 'A35', 'T23', 'value', '"Raghunathan"');
INSERT INTO public.attributes VALUES (1, 35, 'A36', 'T23', 'role', '"Councilmember"');
INSERT INTO public.attributes VALUES (1, 36, 'A37', 'T24', 'value', '"2023-01"');
INSERT INTO public.attributes VALUES (1, 37, 'A38', 'T25', 'value', '"2023-01"');
INSERT INTO public.attributes VALUES (1, 38, 'A39', 'T26', 'value', '"Varga"');
INSERT INTO public.attributes VALUES (1, 39, 'A40', 'T27', 'value', '"62.50 USD"');
INSERT INTO public.attributes VALUES (1, 40, 'A41', 'T28', 'value', '"66.25 USD"');
INSERT INTO public.attributes VALUES (1, 41, 'A42', 'T29', 'value', '"2023-07-01"');
INSERT INTO public.attributes VALUES (1, 42, 'A43', 'T30', 'motion', '"approve the minutes of the regular meeting of January 9, 2023, as printed"');
INSERT INTO public.attributes VALUES (1, 43, 'A44', 'T30', 'mover', '"Brandvold"');
INSERT INTO public.attributes VALUES (1, 44, 'A45', 'T30', 'seconder', '"Ferrante"');
INSERT INTO public.attributes VALUES (1, 45, 'A46', 'T30', 'result', '"passed"');
INSERT INTO public.attributes VALUES (1, 46, 'A47', 'T30', 'result_text', '"carried unanimously."');
INSERT INTO public.attributes VALUES (1, 47, 'A48', 'T30', 'vote_type', '"unanimous"');
INSERT INTO public.attributes VALUES (1, 48, 'A49', 'T30', 'unanimous', 'true');
INSERT INTO public.attributes VALUES (1, 49, 'A50', 'T30', 'confidence', '0.86');
INSERT INTO public.attributes VALUES (1, 50, 'A51', 'T31', 'motion', '"approve items a and c of the consent agenda"');
INSERT INTO public.attributes VALUES (1, 51, 'A52', 'T31', 'mover', '"Ferrante"');
INSERT INTO public.attributes VALUES (1, 52, 'A53', 'T31', 'seconder', '"Whitcombe"');
INSERT INTO public.attributes VALUES (1, 53, 'A54', 'T31', 'result', '"passed"');
INSERT INTO public.attributes VALUES (1, 54, 'A55', 'T31', 'result_text', '"carried 5-0."');
INSERT INTO public.attributes VALUES (1, 55, 'A56', 'T31', 'vote_type', '"tally"');
INSERT INTO public.attributes VALUES (1, 56, 'A57', 'T31', 'tally', '{"yes":5,"no":0}');
INSERT INTO public.attributes VALUES (1, 57, 'A58', 'T31', 'confidence', '0.86');
INSERT INTO public.attributes VALUES (1, 58, 'A59', 'T32', 'motion', '"approve item b. Councilmember Raghunathan stated that she is a tenant of the building and recused herself"');
INSERT INTO public.attributes VALUES (1, 59, 'A60', 'T32', 'mover', '"Whitcombe"');
INSERT INTO public.attributes VALUES (1, 60, 'A61', 'T32', 'seconder', '"Brandvold"');
INSERT INTO public.attributes VALUES (1, 61, 'A62', 'T32', 'result', '"passed"');
INSERT INTO public.attributes VALUES (1, 62, 'A63', 'T32', 'result_text', '"carried 4-0, with one recusal."');
INSERT INTO public.attributes VALUES (1, 63, 'A64', 'T32', 'vote_type', '"tally"');
INSERT INTO public.attributes VALUES (1, 64, 'A65', 'T32', 'tally', '{"yes":4,"no":0}');
INSERT INTO public.attributes VALUES (1, 65, 'A66', 'T32', 'confidence', '0.86');
INSERT INTO public.attributes VALUES (2, 0, 'A1', 'T1', 'value', '"184000 USD"');
INSERT INTO public.attributes VALUES (2, 1, 'A2', 'T2', 'value', '"205 Cooper''s Hollow Road"');
INSERT INTO public.attributes VALUES (2, 2, 'A3', 'T3', 'value', '"Brandvold"');
INSERT INTO public.attributes VALUES (2, 3, 'A4', 'T3', 'role', '"Councilmember"');
INSERT INTO public.attributes VALUES (2, 4, 'A5', 'T4', 'value', '"Raghunathan"');
INSERT INTO public.attributes VALUES (2, 5, 'A6', 'T4', 'role', '"Councilmember"');
INSERT INTO public.attributes VALUES (2, 6, 'A7', 'T5', 'value', '"2023-01"');
INSERT INTO public.attributes VALUES (2, 7, 'A8', 'T6', 'value', '"Nyquist"');
INSERT INTO public.attributes VALUES (2, 8, 'A9', 'T7', 'value', '"236500 USD"');
INSERT INTO public.attributes VALUES (2, 9, 'A10', 'T8', 'value', '"Ferrante"');
INSERT INTO public.attributes VALUES (2, 10, 'A11', 'T8', 'role', '"Councilmember"');
INSERT INTO public.attributes VALUES (2, 11, 'A12', 'T9', 'value', '"Brandvold"');
INSERT INTO public.attributes VALUES (2, 12, 'A13', 'T9', 'role', '"Councilmember"');
INSERT INTO public.attributes VALUES (2, 13, 'A14', 'T10', 'value', '"2023-04"');
INSERT INTO public.attributes VALUES (2, 14, 'A15', 'T11', 'value', '"Whitcombe"');
INSERT INTO public.attributes VALUES (2, 15, 'A16', 'T11', 'role', '"Councilmember"');
INSERT INTO public.attributes VALUES (2, 16, 'A17', 'T12', 'value', '"2023-04"');
INSERT INTO public.attributes VALUES (2, 17, 'A18', 'T13', 'value', '"Raghunathan"');
INSERT INTO public.attributes VALUES (2, 18, 'A19', 'T13', 'role', '"Councilmember"');
INSERT INTO public.attributes VALUES (2, 19, 'A20', 'T14', 'value', '"Brandvold"');
INSERT INTO public.attributes VALUES (2, 20, 'A21', 'T14', 'role', '"Councilmember"');
INSERT INTO public.attributes VALUES (2, 21, 'A22', 'T15', 'value', '"Ferrante"');
INSERT INTO public.attributes VALUES (2, 22, 'A23', 'T15', 'role', '"Councilmember"');
INSERT INTO public.attributes VALUES (2, 23, 'A24', 'T16', 'value', '"Brandvold"');
INSERT INTO public.attributes VALUES (2, 24, 'A25', 'T16', 'role', '"Councilmember"');
INSERT INTO public.attributes VALUES (2, 25, 'A26', 'T17', 'value', '"Whitcombe"');
INSERT INTO public.attributes VALUES (2, 26, 'A27', 'T17', 'role', '"Councilmember"');
INSERT INTO public.attributes VALUES (2, 27, 'A28', 'T18', 'value', '"Varga"');
INSERT INTO public.attributes VALUES (2, 28, 'A29', 'T19', 'value', '"91740 USD"');
INSERT INTO public.attributes VALUES (2, 29, 'A30', 'T20', 'value', '"38200 USD"');
INSERT INTO public.attributes VALUES (2, 30, 'A31', 'T21', 'motion', '"adopt Ordinance No. 2023-01"');
INSERT INTO public.attributes VALUES (2, 31, 'A32', 'T21', 'mover', '"Brandvold"');
INSERT INTO public.attributes VALUES (2, 32, 'A33', 'T21', 'seconder', '"Raghunathan"');
INSERT INTO public.attributes VALUES (2, 33, 'A34', 'T21', 'result', '"passed"');
INSERT INTO public.attributes VALUES (2, 34, 'A35', 'T21', 'result_text', '"carried by the following vote: AYES: Brandvold, Ferrante, Oyelaran, Raghunathan NOES: Whitcombe ABSENT: None TANNERY FOOTBRIDGE Mr. Nyquist reported on the s..."');
INSERT INTO public.attributes VALUES (2, 35, 'A36', 'T21', 'vote_type', '"roll_call"');
INSERT INTO public.attributes VALUES (2, 36, 'A37', 'T21', 'ayes', '["Brandvold","Ferrante","Oyelaran","Raghunathan"]');
INSERT INTO public.attributes VALUES (2, 37, 'A38', 'T21', 'noes', '["Whitcombe"]');
INSERT INTO public.attributes VALUES (2, 38, 'A39', 'T21', 'tally', '{"yes":4,"no":1,"absent":0}');
INSERT INTO public.attributes VALUES (2, 39, 'A40', 'T21', 'confidence', '0.92');
INSERT INTO public.attributes VALUES (2, 40, 'A41', 'T22', 'motion', '"authorize the Town Manager to apply for a grant from the Small Bridge Program and to sign all papers necessary for it"');
INSERT INTO public.attributes VALUES (2, 41, 'A42', 'T22', 'mover', '"Ferrante"');
INSERT INTO public.attributes VALUES (2, 42, 'A43', 'T22', 'seconder', '"Brandvold"');
INSERT INTO public.attributes VALUES (2, 43, 'A44', 'T22', 'result', '"passed"');
INSERT INTO public.attributes VALUES (2, 44, 'A45', 'T22', 'result_text', '"Upon voice vote the motion carried unanimously, 5-0."');
INSERT INTO public.attributes VALUES (2, 45, 'A46', 'T22', 'vote_type', '"voice"');
INSERT INTO public.attributes VALUES (2, 46, 'A47', 'T22', 'tally', '{"yes":5,"no":0}');
INSERT INTO public.attributes VALUES (2, 47, 'A48', 'T22', 'unanimous', 'true');
INSERT INTO public.attributes VALUES (2, 48, 'A49', 'T22', 'confidence', '0.94');
INSERT INTO public.attributes VALUES (2, 49, 'A50', 'T23', 'motion', '"adopt Resolution 2023-04"');
INSERT INTO public.attributes VALUES (2, 50, 'A51', 'T23', 'mover', '"Whitcombe"');
INSERT INTO public.attributes VALUES (2, 51, 'A52', 'T23', 'seconder', '"Raghunathan"');
INSERT INTO public.attributes VALUES (2, 52, 'A53', 'T23', 'result', '"passed"');
INSERT INTO public.attributes VALUES (2, 53, 'A54', 'T23', 'result_text', '"The vote was then taken on the main motion, which passed 4-1, Councilmember Brandvold opposed."');
INSERT INTO public.attributes VALUES (2, 54, 'A55', 'T23', 'vote_type', '"tally"');
INSERT INTO public.attributes VALUES (2, 55, 'A56', 'T23', 'noes', '["Brandvold"]');
INSERT INTO public.attributes VALUES (2, 56, 'A57', 'T23', 'tally', '{"yes":4,"no":1}');
INSERT INTO public.attributes VALUES (2, 57, 'A58', 'T23', 'confidence', '0.99');
INSERT INTO public.attributes VALUES (2, 58, 'A59', 'T24', 'motion', '"amend the resolution by striking out \"two hours\" and inserting \"four hours\""');
INSERT INTO public.attributes VALUES (2, 59, 'A60', 'T24', 'mover', '"Brandvold"');
INSERT INTO public.attributes VALUES (2, 60, 'A61', 'T24', 'seconder', '"Ferrante"');
INSERT INTO public.attributes VALUES (2, 61, 'A62', 'T24', 'result', '"failed"');
INSERT INTO public.attributes VALUES (2, 62, 'A63', 'T24', 'result_text', '"The amendment failed 2-3."');
INSERT INTO public.attributes VALUES (2, 63, 'A64', 'T24', 'vote_type', '"tally"');
INSERT INTO public.attributes VALUES (2, 64, 'A65', 'T24', 'tally', '{"yes":2,"no":3}');
INSERT INTO public.attributes VALUES (2, 65, 'A66', 'T24', 'flags', '["amendment"]');
INSERT INTO public.attributes VALUES (2, 66, 'A67', 'T24', 'confidence', '0.94');
INSERT INTO public.attributes VALUES (2, 67, 'A68', 'T25', 'motion', '"remove the eleven parking meters on Mill Street between Bridge Street and the post office"');
INSERT INTO public.attributes VALUES (2, 68, 'A69', 'T25', 'mover', '"Whitcombe"');
INSERT INTO public.attributes VALUES (2, 69, 'A70', 'T25', 'result', '"died"');
INSERT INTO public.attributes VALUES (2, 70, 'A71', 'T25', 'result_text', '"The motion died for lack of a second"');
INSERT INTO public.attributes VALUES (2, 71, 'A72', 'T25', 'vote_type', '"none"');
INSERT INTO public.attributes VALUES (2, 72, 'A73', 'T25', 'flags', '["no_second"]');
INSERT INTO public.attributes VALUES (2, 73, 'A74', 'T25', 'confidence', '0.84');
INSERT INTO public.attributes VALUES (3, 0, 'A1', 'T1', 'value', '"2023-03-13"');
INSERT INTO public.attributes VALUES (3, 1, 'A2', 'T2', 'value', '"Ferrante"');
INSERT INTO public.attributes VALUES (3, 2, 'A3', 'T2', 'role', '"Councilmember"');
INSERT INTO public.attributes VALUES (3, 3, 'A4', 'T3', 'value', '"Brandvold"');
INSERT INTO public.attributes VALUES (3, 4, 'A5', 'T3', 'role', '"Councilmember"');
INSERT INTO public.attributes VALUES (3, 5, 'A6', 'T4', 'value', '"9 Depot Square"');
INSERT INTO public.attributes VALUES (3, 6, 'A7', 'T5', 'value', '"Brandvold"');
INSERT INTO public.attributes VALUES (3, 7, 'A8', 'T6', 'value', '"Ferrante"');
INSERT INTO public.attributes VALUES (3, 8, 'A9', 'T7', 'value', '"Whitcombe"');
INSERT INTO public.attributes VALUES (3, 9, 'A10', 'T8', 'value', '"Raghunathan"');
INSERT INTO public.attributes VALUES (3, 10, 'A11', 'T9', 'value', '"Oyelaran"');
INSERT INTO public.attributes VALUES (3, 11, 'A12', 'T9', 'role', '"President"');
INSERT INTO public.attributes VALUES (3, 12, 'A13', 'T10', 'value', '"Ruth Hallenbeck"');
INSERT INTO public.attributes VALUES (3, 13, 'A14', 'T10', 'role', '"Town Clerk"');
INSERT INTO public.attributes VALUES (3, 14, 'A15', 'T11', 'value', '"2023-02-13"');
INSERT INTO public.attributes VALUES (3, 15, 'A16', 'T12', 'motion', '"enter executive session at 8:46 p.m. to discuss the lease of 9 Depot Square, not to return to open session"');
INSERT INTO public.attributes VALUES (3, 16, 'A17', 'T12', 'mover', '"Ferrante"');
INSERT INTO public.attributes VALUES (3, 17, 'A18', 'T12', 'seconder', '"Brandvold"');
INSERT INTO public.attributes VALUES (3, 18, 'A19', 'T12', 'result', '"passed"');
INSERT INTO public.attributes VALUES (3, 19, 'A20', 'T12', 'result_text', '"carried."');
INSERT INTO public.attributes VALUES (3, 20, 'A21', 'T12', 'vote_type', '"roll_call"');
INSERT INTO public.attributes VALUES (3, 21, 'A22', 'T12', 'ayes', '["Brandvold","Ferrante","Whitcombe","Raghunathan","Oyelaran"]');
INSERT INTO public.attributes VALUES (3, 22, 'A23', 'T12', 'tally', '{"yes":5,"no":0}');
INSERT INTO public.attributes VALUES (3, 23, 'A24', 'T12', 'confidence', '0.92');
INSERT INTO public.attributes VALUES (4, 0, 'A1', 'T1', 'value', '"2024-06-10"');
INSERT INTO public.attributes VALUES (4, 1, 'A2', 'T2', 'value', '"Town Council"');
INSERT INTO public.attributes VALUES (4, 2, 'A3', 'T3', 'value', '"Lucia Ferrante"');
INSERT INTO public.attributes VALUES (4, 3, 'A4', 'T3', 'role', '"President"');
INSERT INTO public.attributes VALUES (4, 4, 'A5', 'T4', 'value', '"Priya Raghunathan"');
INSERT INTO public.attributes VALUES (4, 5, 'A6', 'T4', 'role', '"Councilmember"');
INSERT INTO public.attributes VALUES (4, 6, 'A7', 'T5', 'value', '"2024-05-20"');
INSERT INTO public.attributes VALUES (4, 7, 'A8', 'T6', 'value', '"88 Gristmill Road"');
INSERT INTO public.attributes VALUES (4, 8, 'A9', 'T7', 'value', '"19 Mill Street"');
INSERT INTO public.attributes VALUES (4, 9, 'A10', 'T8', 'value', '"Castellane"');
INSERT INTO public.attributes VALUES (4, 10, 'A11', 'T8', 'role', '"Councilmember"');
INSERT INTO public.attributes VALUES (4, 11, 'A12', 'T9', 'value', '"611092.15 USD"');
INSERT INTO public.attributes VALUES (4, 12, 'A13', 'T10', 'value', '"2024-07"');
INSERT INTO public.attributes VALUES (4, 13, 'A14', 'T11', 'value', '"2024-07"');
INSERT INTO public.attributes VALUES (4, 14, 'A15', 'T12', 'value', '"75 USD"');
INSERT INTO public.attributes VALUES (4, 15, 'A16', 'T13', 'value', '"200 USD"');
INSERT INTO public.attributes VALUES (4, 16, 'A17', 'T14', 'value', '"2024-15"');
INSERT INTO public.attributes VALUES (4, 17, 'A18', 'T15', 'value', '"2024-15"');
INSERT INTO public.attributes VALUES (4, 18, 'A19', 'T16', 'value', '"54300 USD"');
INSERT INTO public.attributes VALUES (4, 19, 'A20', 'T17', 'value', '"20187400 USD"');
INSERT INTO public.attributes VALUES (4, 20, 'A21', 'T18', 'value', '"Castellane"');
INSERT INTO public.attributes VALUES (4, 21, 'A22', 'T18', 'role', '"Councilmember"');
INSERT INTO public.attributes VALUES (4, 22, 'A23', 'T19', 'value', '"212000 USD"');
INSERT INTO public.attributes VALUES (4, 23, 'A24', 'T20', 'value', '"Nyquist"');
INSERT INTO public.attributes VALUES (4, 24, 'A25', 'T21', 'value', '"2024-07-19"');
INSERT INTO public.attributes VALUES (4, 25, 'A26', 'T22', 'value', '"Sorrel"');
INSERT INTO public.attributes VALUES (4, 26, 'A27', 'T22', 'role', '"Chief"');
INSERT INTO public.attributes VALUES (4, 27, 'A28', 'T23', 'value', '"6400 USD"');
INSERT INTO public.attributes VALUES (4, 28, 'A29', 'T24', 'value', '"Oyelaran"');
INSERT INTO public.attributes VALUES (4, 29, 'A30', 'T24', 'role', '"Councilmember"');
INSERT INTO public.attributes VALUES (4, 30, 'A31', 'T25', 'value', '"Brandvold"');
INSERT INTO public.attributes VALUES (4, 31, 'A32', 'T25', 'role', '"Councilmember"');
INSERT INTO public.attributes VALUES (4, 32, 'A33', 'T26', 'value', '"15 USD"');
INSERT INTO public.attributes VALUES (4, 33, 'A34', 'T27', 'value', '"10 USD"');
INSERT INTO public.attributes VALUES (4, 34, 'A35', 'T28', 'value', '"Ferrante"');
INSERT INTO public.attributes VALUES (4, 35, 'A36', 'T28', 'role', '"President"');
INSERT INTO public.attributes VALUES (4, 36, 'A37', 'T29', 'value', '"School Committee"');
INSERT INTO public.attributes VALUES (4, 37, 'A38', 'T30', 'value', '"2024-09-04"');
INSERT INTO public.attributes VALUES (4, 38, 'A39', 'T31', 'value', '"2024-08-01"');
INSERT INTO public.attributes VALUES (4, 39, 'A40', 'T32', 'value', '"Board of Health"');
INSERT INTO public.attributes VALUES (4, 40, 'A41', 'T33', 'value', '"60 Mill Street"');
INSERT INTO public.attributes VALUES (4, 41, 'A42', 'T34', 'value', '"2024-06-22"');
INSERT INTO public.attributes VALUES (4, 42, 'A43', 'T35', 'value', '"12 USD"');
INSERT INTO public.attributes VALUES (4, 43, 'A44', 'T36', 'motion', '"approve the minutes of May 20, 2024"');
INSERT INTO public.attributes VALUES (4, 44, 'A45', 'T36', 'mover', '"Oyelaran"');
INSERT INTO public.attributes VALUES (4, 45, 'A46', 'T36', 'seconder', '"Brandvold"');
INSERT INTO public.attributes VALUES (4, 46, 'A47', 'T36', 'result', '"passed"');
INSERT INTO public.attributes VALUES (4, 47, 'A48', 'T36', 'result_text', '"carried 4-0."');
INSERT INTO public.attributes VALUES (4, 48, 'A49', 'T36', 'vote_type', '"tally"');
INSERT INTO public.attributes VALUES (4, 49, 'A50', 'T36', 'tally', '{"yes":4,"no":0}');
INSERT INTO public.attributes VALUES (4, 50, 'A51', 'T36', 'confidence', '0.86');
INSERT INTO public.attributes VALUES (4, 51, 'A52', 'T37', 'motion', '"approve Warrant No. 24-11 in the amount of $611,092.15"');
INSERT INTO public.attributes VALUES (4, 52, 'A53', 'T37', 'mover', '"Brandvold"');
INSERT INTO public.attributes VALUES (4, 53, 'A54', 'T37', 'seconder', '"Castellane"');
INSERT INTO public.attributes VALUES (4, 54, 'A55', 'T37', 'result', '"passed"');
INSERT INTO public.attributes VALUES (4, 55, 'A56', 'T37', 'result_text', '"carried."');
INSERT INTO public.attributes VALUES (4, 56, 'A57', 'T37', 'vote_type', '"roll_call"');
INSERT INTO public.attributes VALUES (4, 57, 'A58', 'T37', 'ayes', '["Brandvold","Castellane","Ferrante","Oyelaran"]');
INSERT INTO public.attributes VALUES (4, 58, 'A59', 'T37', 'tally', '{"yes":4,"no":0}');
INSERT INTO public.attributes VALUES (4, 59, 'A60', 'T37', 'confidence', '0.92');
INSERT INTO public.attributes VALUES (4, 60, 'A61', 'T38', 'motion', '"adopt the ordinance"');
INSERT INTO public.attributes VALUES (4, 61, 'A62', 'T38', 'mover', '"Castellane"');
INSERT INTO public.attributes VALUES (4, 62, 'A63', 'T38', 'seconder', '"Oyelaran"');
INSERT INTO public.attributes VALUES (4, 63, 'A64', 'T38', 'result', '"unknown"');
INSERT INTO public.attributes VALUES (4, 64, 'A65', 'T38', 'vote_type', '"none"');
INSERT INTO public.attributes VALUES (4, 65, 'A66', 'T38', 'confidence', '0.7');
INSERT INTO public.attributes VALUES (4, 66, 'A67', 'T39', 'motion', '"amend by raising the fee from $75 to $200"');
INSERT INTO public.attributes VALUES (4, 67, 'A68', 'T39', 'mover', '"Brandvold"');
INSERT INTO public.attributes VALUES (4, 68, 'A69', 'T39', 'result', '"died"');
INSERT INTO public.attributes VALUES (4, 69, 'A70', 'T39', 'result_text', '"the motion to amend died for want of a second"');
INSERT INTO public.attributes VALUES (4, 70, 'A71', 'T39', 'vote_type', '"none"');
INSERT INTO public.attributes VALUES (4, 71, 'A72', 'T39', 'flags', '["no_second"]');
INSERT INTO public.attributes VALUES (4, 72, 'A73', 'T39', 'confidence', '0.84');
INSERT INTO public.attributes VALUES (4, 73, 'A74', 'T40', 'motion', '"amend so that six feet of the sidewalk stay free at all times"');
INSERT INTO public.attributes VALUES (4, 74, 'A75', 'T40', 'mover', '"Oyelaran"');
INSERT INTO public.attributes VALUES (4, 75, 'A76', 'T40', 'seconder', '"Castellane"');
INSERT INTO public.attributes VALUES (4, 76, 'A77', 'T40', 'result', '"passed"');
INSERT INTO public.attributes VALUES (4, 77, 'A78', 'T40', 'result_text', '"amendment carried 4-0."');
INSERT INTO public.attributes VALUES (4, 78, 'A79', 'T40', 'vote_type', '"tally"');
INSERT INTO public.attributes VALUES (4, 79, 'A80', 'T40', 'tally', '{"yes":4,"no":0}');
INSERT INTO public.attributes VALUES (4, 80, 'A81', 'T40', 'confidence', '0.94');
INSERT INTO public.attributes VALUES (4, 81, 'A82', 'T41', 'motion', '"sidewalk stay free at all times; amendment carried 4-0"');
INSERT INTO public.attributes VALUES (4, 82, 'A83', 'T41', 'result', '"passed"');
INSERT INTO public.attributes VALUES (4, 83, 'A84', 'T41', 'result_text', '"carried 3-1."');
INSERT INTO public.attributes VALUES (4, 84, 'A85', 'T41', 'vote_type', '"roll_call"');
INSERT INTO public.attributes VALUES (4, 85, 'A86', 'T41', 'ayes', '["Castellane","Ferrante","Oyelaran"]');
INSERT INTO public.attributes VALUES (4, 86, 'A87', 'T41', 'noes', '["Brandvold"]');
INSERT INTO public.attributes VALUES (4, 87, 'A88', 'T41', 'tally', '{"yes":3,"no":1}');
INSERT INTO public.attributes VALUES (4, 88, 'A89', 'T41', 'confidence', '0.67');
INSERT INTO public.attributes VALUES (4, 89, 'A90', 'T42', 'motion', '"adopt Resolution 2024-15 and to take $54,300 from the capital reserve"');
INSERT INTO public.attributes VALUES (4, 90, 'A91', 'T42', 'mover', '"Oyelaran"');
INSERT INTO public.attributes VALUES (4, 91, 'A92', 'T42', 'seconder', '"Brandvold"');
INSERT INTO public.attributes VALUES (4, 92, 'A93', 'T42', 'result', '"passed"');
INSERT INTO public.attributes VALUES (4, 93, 'A94', 'T42', 'result_text', '"Carried unanimously."');
INSERT INTO public.attributes VALUES (4, 94, 'A95', 'T42', 'vote_type', '"unanimous"');
INSERT INTO public.attributes VALUES (4, 95, 'A96', 'T42', 'unanimous', 'true');
INSERT INTO public.attributes VALUES (4, 96, 'A97', 'T42', 'confidence', '0.86');
INSERT INTO public.attributes VALUES (4, 97, 'A98', 'T43', 'motion', '"adopt the Fiscal Year 2025 budget of $20,187,400"');
INSERT INTO public.attributes VALUES (4, 98, 'A99', 'T43', 'mover', '"Brandvold"');
INSERT INTO public.attributes VALUES (4, 99, 'A100', 'T43', 'seconder', '"Oyelaran"');
INSERT INTO public.attributes VALUES (4, 100, 'A101', 'T43', 'result', '"passed"');
INSERT INTO public.attributes VALUES (4, 101, 'A102', 'T43', 'result_text', '"Carried 3-1."');
INSERT INTO public.attributes VALUES (4, 102, 'A103', 'T43', 'vote_type', '"roll_call"');
INSERT INTO public.attributes VALUES (4, 103, 'A104', 'T43', 'ayes', '["Brandvold","Ferrante","Oyelaran"]');
INSERT INTO public.attributes VALUES (4, 104, 'A105', 'T43', 'noes', '["Castellane"]');
INSERT INTO public.attributes VALUES (4, 105, 'A106', 'T43', 'tally', '{"yes":3,"no":1}');
INSERT INTO public.attributes VALUES (4, 106, 'A107', 'T43', 'flags', '["source_contradiction"]');
INSERT INTO public.attributes VALUES (4, 107, 'A108', 'T43', 'confidence', '0.82');
INSERT INTO public.attributes VALUES (4, 108, 'A109', 'T44', 'motion', '"spend not more than $6,400 on eight band concerts at Tannery Park"');
INSERT INTO public.attributes VALUES (4, 109, 'A110', 'T44', 'mover', '"Castellane"');
INSERT INTO public.attributes VALUES (4, 110, 'A111', 'T44', 'seconder', '"Brandvold"');
INSERT INTO public.attributes VALUES (4, 111, 'A112', 'T44', 'result', '"passed"');
INSERT INTO public.attributes VALUES (4, 112, 'A113', 'T44', 'result_text', '"carried 4-0."');
INSERT INTO public.attributes VALUES (4, 113, 'A114', 'T44', 'vote_type', '"tally"');
INSERT INTO public.attributes VALUES (4, 114, 'A115', 'T44', 'tally', '{"yes":4,"no":0}');
INSERT INTO public.attributes VALUES (4, 115, 'A116', 'T44', 'confidence', '0.86');
INSERT INTO public.attributes VALUES (5, 0, 'A1', 'T1', 'value', '"Town Council"');
INSERT INTO public.attributes VALUES (5, 1, 'A2', 'T2', 'value', '"2024-06-10"');
INSERT INTO public.attributes VALUES (5, 2, 'A3', 'T3', 'value', '"2024-07-01"');
INSERT INTO public.attributes VALUES (5, 3, 'A4', 'T4', 'value', '"Recreation Department"');
INSERT INTO public.attributes VALUES (5, 4, 'A5', 'T5', 'value', '"18.50 USD"');
INSERT INTO public.attributes VALUES (5, 5, 'A6', 'T6', 'value', '"Department of Public Works"');
INSERT INTO public.attributes VALUES (5, 6, 'A7', 'T7', 'value', '"2024-06-17"');
INSERT INTO public.attributes VALUES (5, 7, 'A8', 'T8', 'value', '"Ruth Hallenbeck"');
INSERT INTO public.attributes VALUES (5, 8, 'A9', 'T8', 'role', '"Town Clerk"');
INSERT INTO public.attributes VALUES (5, 9, 'A10', 'T9', 'motion', '"adjourn at 9:02 p.m"');
INSERT INTO public.attributes VALUES (5, 10, 'A11', 'T9', 'mover', '"Brandvold"');
INSERT INTO public.attributes VALUES (5, 11, 'A12', 'T9', 'seconder', '"Castellane"');
INSERT INTO public.attributes VALUES (5, 12, 'A13', 'T9', 'result', '"passed"');
INSERT INTO public.attributes VALUES (5, 13, 'A14', 'T9', 'result_text', '"Motion carried."');
INSERT INTO public.attributes VALUES (5, 14, 'A15', 'T9', 'vote_type', '"unspecified"');
INSERT INTO public.attributes VALUES (5, 15, 'A16', 'T9', 'confidence', '0.94');
INSERT INTO public.attributes VALUES (6, 0, 'A1', 'T2', 'sure', 'true');
INSERT INTO public.attributes VALUES (7, 0, 'A1', 'T2', 'sure', 'true');
INSERT INTO public.attributes VALUES (8, 0, 'A1', 'T2', 'sure', 'true');
INSERT INTO public.attributes VALUES (9, 0, 'A1', 'T2', 'sure', 'true');
INSERT INTO public.attributes VALUES (10, 0, 'A1', 'T2', 'sure', 'true');
INSERT INTO public.attributes VALUES (11, 0, 'A1', 'T2', 'sure', 'true');
INSERT INTO public.audit VALUES (1, '2026-11-17 06:01:08.215185+00', 'root', 'annotations uploaded', 'reviewed', 'upload 10');
INSERT INTO public.audit VALUES (2, '2026-11-17 06:01:11.015066+00', 'clerk', 'annotations uploaded', 'half', 'upload 11');
INSERT INTO public.audit VALUES (3, '2026-11-17 06:01:24.110483+00', 'root', 'queue paused', 'annotations', NULL);
INSERT INTO public.audit VALUES (4, '2026-11-17 06:01:24.336135+00', 'ann', 'token made', 'reports', 'viewer');
INSERT INTO public.batch_job_trackings VALUES (1, 1, 'b110999c93094e5ea24ff64ff279978f', 'completed', '[{"sourcedb": "springfield", "sourceid": "fetch"}]', 1, NULL, '2026-11-17 06:00:56.003969+00', '2026-11-17 06:00:57.410216+00', '2026-11-17 06:00:56.003969+00', '2026-11-17 06:00:57.410216+00', 'b110999c93094e5ea24ff64ff279978f', 1, 'townhall-15370-eecc11b2', NULL, NULL, NULL, 0, 0, 0, '2026-11-17 06:00:56.003969+00');
INSERT INTO public.batch_job_trackings VALUES (2, 2, '78c8b9f6d9bc4f17ab51b912510243fb', 'completed', '[{"sourcedb": "springfield", "sourceid": "minutes/Council/2023-01-23"}]', 1, NULL, '2026-11-17 06:00:57.598474+00', '2026-11-17 06:00:57.724243+00', '2026-11-17 06:00:57.598474+00', '2026-11-17 06:00:57.724243+00', '78c8b9f6d9bc4f17ab51b912510243fb', 1, 'townhall-15370-eecc11b2', NULL, NULL, NULL, 0, 0, 0, '2026-11-17 06:00:57.598474+00');
INSERT INTO public.batch_job_trackings VALUES (3, 2, '17a55d05af334f53bf03f2700d5c4d8d', 'crashed', '[{"sourcedb": "springfield", "sourceid": "minutes/Council/2024-06-10"}, {"sourcedb": "springfield", "sourceid": "minutes/School/2023-10-17"}]', 2, 'The working process was killed by SIGKILL', '2026-11-17 06:00:57.776052+00', '2026-11-17 06:00:57.926146+00', '2026-11-17 06:00:57.776052+00', '2026-11-17 06:00:57.926146+00', '17a55d05af334f53bf03f2700d5c4d8d', 1, 'townhall-15370-eecc11b2', NULL, NULL, NULL, 0, 0, 0, '2026-11-17 06:00:57.776052+00');
INSERT INTO public.batch_job_trackings VALUES (4, 2, '8b1ab8533cd34151903b905fa7852fe1', 'crashed', '[{"sourcedb": "springfield", "sourceid": "minutes/School/2023-10-17"}]', 1, 'The working process was killed by SIGKILL', '2026-11-17 06:00:58.088356+00', '2026-11-17 06:00:58.186139+00', '2026-11-17 06:00:58.088356+00', '2026-11-17 06:00:58.186139+00', '8b1ab8533cd34151903b905fa7852fe1', 1, 'townhall-15370-eecc11b2', NULL, NULL, NULL, 0, 0, 0, '2026-11-17 06:00:58.088356+00');
INSERT INTO public.batch_job_trackings VALUES (5, 3, '99030576fcad46dfabfd444aa116932c', 'completed', '[{"sourcedb": "springfield", "sourceid": "coordinator"}]', 1, NULL, '2026-11-17 06:00:58.313835+00', '2026-11-17 06:00:58.405057+00', '2026-11-17 06:00:58.313835+00', '2026-11-17 06:00:58.405057+00', '99030576fcad46dfabfd444aa116932c', 1, 'townhall-15370-eecc11b2', NULL, NULL, NULL, 0, 0, 0, '2026-11-17 06:00:58.313835+00');
INSERT INTO public.batch_job_trackings VALUES (6, 4, '7fa67a1d5bd74d2d8fe247b4a2724974', 'completed', '[{"sourcedb": "springfield", "sourceid": "compile"}]', 1, NULL, '2026-11-17 06:00:58.61852+00', '2026-11-17 06:00:59.527997+00', '2026-11-17 06:00:58.61852+00', '2026-11-17 06:00:59.527997+00', '7fa67a1d5bd74d2d8fe247b4a2724974', 1, 'townhall-15370-eecc11b2', NULL, NULL, NULL, 0, 0, 0, '2026-11-17 06:00:58.61852+00');
INSERT INTO public.batch_job_trackings VALUES (7, 5, 'c0d4b92371874670b85d285d662b2d7e', 'completed', '[{"sourcedb": "springfield", "sourceid": "extract"}]', 1, NULL, '2026-11-17 06:00:59.592642+00', '2026-11-17 06:01:01.253596+00', '2026-11-17 06:00:59.592642+00', '2026-11-17 06:01:01.253596+00', 'c0d4b92371874670b85d285d662b2d7e', 1, 'townhall-15370-eecc11b2', NULL, NULL, NULL, 0, 0, 0, '2026-11-17 06:00:59.592642+00');
INSERT INTO public.batch_job_trackings VALUES (8, 7, '9adad7d96e014ecba6cd3bb2306e27f8', 'completed', '[{"sourcedb": "springfield", "sourceid": "deploy"}]', 1, NULL, '2026-11-17 06:01:01.384498+00', '2026-11-17 06:01:01.477057+00', '2026-11-17 06:01:01.384498+00', '2026-11-17 06:01:01.477057+00', '9adad7d96e014ecba6cd3bb2306e27f8', 1, 'townhall-15370-eecc11b2', NULL, NULL, NULL, 0, 0, 0, '2026-11-17 06:01:01.384498+00');
INSERT INTO public.batch_job_trackings VALUES (9, 8, 'd25863f6733f4a8fa371aa9896ae55e9', 'completed', '[{"sourcedb": "shelbyville", "sourceid": "fetch"}]', 1, NULL, '2026-11-17 06:01:02.014668+00', '2026-11-17 06:01:03.181773+00', '2026-11-17 06:01:02.014668+00', '2026-11-17 06:01:03.181773+00', 'd25863f6733f4a8fa371aa9896ae55e9', 1, 'townhall-15449-83ab6876', NULL, NULL, NULL, 0, 0, 0, '2026-11-17 06:01:02.014668+00');
INSERT INTO public.batch_job_trackings VALUES (10, 9, 'f93e8705d04947ea87ff66ed6b597486', 'completed', '[{"sourcedb": "shelbyville", "sourceid": "minutes/Council/2023-04-05"}]', 1, NULL, '2026-11-17 06:01:03.287938+00', '2026-11-17 06:01:03.334233+00', '2026-11-17 06:01:03.287938+00', '2026-11-17 06:01:03.334233+00', 'f93e8705d04947ea87ff66ed6b597486', 1, 'townhall-15449-83ab6876', NULL, NULL, NULL, 0, 0, 0, '2026-11-17 06:01:03.287938+00');
INSERT INTO public.batch_job_trackings VALUES (12, 10, '080544ebdb71487e92ecb3459f20f60a', 'completed', '[{"sourcedb": "springfield", "sourceid": "minutes/101"}, {"sourcedb": "springfield", "sourceid": "minutes/102"}]', 3, NULL, '2026-11-17 06:01:08.990477+00', '2026-11-17 06:01:09.304168+00', '2026-11-17 06:01:08.853269+00', '2026-11-17 06:01:09.304168+00', '080544ebdb71487e92ecb3459f20f60a', 1, 'townhall-15480-798dc7ef', NULL, NULL, '{"name": "springfield:minutes/101, springfield:minutes/102", "issues": [], "ranges": [[0, 0, 892, 1]], "documents": 2}', 892, 0, 0, '2026-11-17 06:01:08.853269+00');
INSERT INTO public.batch_job_trackings VALUES (11, 9, '2df24c206a284e78b0386ae4e8dbb562', 'crashed', '[{"sourcedb": "shelbyville", "sourceid": "minutes/Council/2023-09-20"}, {"sourcedb": "shelbyville", "sourceid": "minutes/Council/2024-05-21"}]', 2, 'The worker died', '2026-11-17 06:01:03.369969+00', '2026-11-17 06:01:11.551562+00', '2026-11-17 06:01:03.369969+00', '2026-11-17 06:01:11.551562+00', '2df24c206a284e78b0386ae4e8dbb562', 1, 'townhall-15449-83ab6876', NULL, NULL, NULL, 0, 0, 0, '2026-11-17 06:01:03.369969+00');
INSERT INTO public.batch_job_trackings VALUES (16, 11, NULL, 'pending', '[{"sourcedb": "springfield", "sourceid": "minutes/7"}, {"sourcedb": "springfield", "sourceid": "minutes/8"}]', 2, NULL, NULL, NULL, '2026-11-17 06:01:12.254483+00', '2026-11-17 06:01:12.254483+00', NULL, 0, NULL, NULL, NULL, '{"name": "springfield:minutes/7, springfield:minutes/8", "issues": [], "ranges": [[0, 2628, 3504, 7]], "documents": 2}', 876, 0, 0, '2026-11-17 06:01:12.254483+00');
INSERT INTO public.batch_job_trackings VALUES (13, 11, '78d1dd90920e4472855e0003ac569f78', 'completed', '[{"sourcedb": "springfield", "sourceid": "minutes/1"}, {"sourcedb": "springfield", "sourceid": "minutes/2"}]', 2, NULL, '2026-11-17 06:01:12.645063+00', '2026-11-17 06:01:12.964888+00', '2026-11-17 06:01:12.254483+00', '2026-11-17 06:01:12.964888+00', '78d1dd90920e4472855e0003ac569f78', 1, 'townhall-15615-473fc317', NULL, NULL, '{"name": "springfield:minutes/1, springfield:minutes/2", "issues": [], "ranges": [[0, 0, 876, 1]], "documents": 2}', 876, 0, 0, '2026-11-17 06:01:12.254483+00');
INSERT INTO public.batch_job_trackings VALUES (14, 11, 'd44bc870075e49e6b617bd54af8f7ecf', 'completed', '[{"sourcedb": "springfield", "sourceid": "minutes/3"}, {"sourcedb": "springfield", "sourceid": "minutes/4"}]', 2, NULL, '2026-11-17 06:01:13.198539+00', '2026-11-17 06:01:13.266647+00', '2026-11-17 06:01:12.254483+00', '2026-11-17 06:01:13.266647+00', 'd44bc870075e49e6b617bd54af8f7ecf', 1, 'townhall-15615-473fc317', NULL, NULL, '{"name": "springfield:minutes/3, springfield:minutes/4", "issues": [], "ranges": [[0, 876, 1752, 3]], "documents": 2}', 876, 0, 0, '2026-11-17 06:01:12.254483+00');
INSERT INTO public.batch_job_trackings VALUES (15, 11, '5ea3376355a9456e89715176671e9096', 'running', '[{"sourcedb": "springfield", "sourceid": "minutes/5"}, {"sourcedb": "springfield", "sourceid": "minutes/6"}]', 2, NULL, '2026-11-17 06:01:13.755439+00', NULL, '2026-11-17 06:01:12.254483+00', '2026-11-17 06:01:13.96892+00', '5ea3376355a9456e89715176671e9096', 1, 'townhall-15615-473fc317', 'springfield:minutes/5, springfield:minutes/6', NULL, '{"name": "springfield:minutes/5, springfield:minutes/6", "issues": [], "ranges": [[0, 1752, 2628, 5]], "documents": 2}', 876, 0, 0, '2026-11-17 06:01:12.254483+00');
INSERT INTO public.denotations VALUES (1, 0, 'T1', 71, 87, NULL, 'Date', NULL);
INSERT INTO public.denotations VALUES (1, 1, 'T2', 116, 132, NULL, 'Address', NULL);
INSERT INTO public.denotations VALUES (1, 2, 'T3', 160, 188, NULL, 'Body', NULL);
INSERT INTO public.denotations VALUES (1, 3, 'T4', 233, 260, NULL, 'Person', NULL);
INSERT INTO public.denotations VALUES (1, 4, 'T5', 315, 350, NULL, 'Person', NULL);
INSERT INTO public.denotations VALUES (1, 5, 'T6', 467, 491, NULL, 'Person', NULL);
INSERT INTO public.denotations VALUES (1, 6, 'T7', 493, 519, NULL, 'Person', NULL);
INSERT INTO public.denotations VALUES (1, 7, 'T8', 521, 539, NULL, 'Person', NULL);
INSERT INTO public.denotations VALUES (1, 8, 'T9', 632, 655, NULL, 'Person', NULL);
INSERT INTO public.denotations VALUES (1, 9, 'T10', 672, 694, NULL, 'Person', NULL);
INSERT INTO public.denotations VALUES (1, 10, 'T11', 744, 759, NULL, 'Date', NULL);
INSERT INTO public.denotations VALUES (1, 11, 'T12', 838, 855, NULL, 'Address', NULL);
INSERT INTO public.denotations VALUES (1, 12, 'T13', 945, 962, NULL, 'Date', NULL);
INSERT INTO public.denotations VALUES (1, 13, 'T14', 1101, 1116, NULL, 'Address', NULL);
INSERT INTO public.denotations VALUES (1, 14, 'T15', 1356, 1367, NULL, 'Money', NULL);
INSERT INTO public.denotations VALUES (1, 15, 'T16', 1435, 1451, NULL, 'Address', NULL);
INSERT INTO public.denotations VALUES (1, 16, 'T17', 1497, 1522, NULL, 'Body', NULL);
INSERT INTO public.denotations VALUES (1, 17, 'T18', 1550, 1575, NULL, 'Person', NULL);
INSERT INTO public.denotations VALUES (1, 18, 'T19', 1639, 1661, NULL, 'Person', NULL);
INSERT INTO public.denotations VALUES (1, 19, 'T20', 1675, 1698, NULL, 'Person', NULL);
INSERT INTO public.denotations VALUES (1, 20, 'T21', 1778, 1801, NULL, 'Person', NULL);
INSERT INTO public.denotations VALUES (1, 21, 'T22', 1815, 1838, NULL, 'Person', NULL);
INSERT INTO public.denotations VALUES (1, 22, 'T23', 1859, 1884, NULL, 'Person', NULL);
INSERT INTO public.denotations VALUES (1, 23, 'T24', 1988, 2009, NULL, 'Ordinance', NULL);
INSERT INTO public.denotations VALUES (1, 24, 'T25', 2062, 2083, NULL, 'Ordinance', NULL);
INSERT INTO public.denotations VALUES (1, 25, 'T26', 2160, 2169, NULL, 'Person', NULL);
INSERT INTO public.denotations VALUES (1, 26, 'T27', 2228, 2234, NULL, 'Money', NULL);
INSERT INTO public.denotations VALUES (1, 27, 'T28', 2238, 2244, NULL, 'Money', NULL);
INSERT INTO public.denotations VALUES (1, 28, 'T29', 2248, 2260, NULL, 'Date', NULL);
INSERT INTO public.denotations VALUES (1, 29, 'T30', 611, 804, NULL, 'Vote', NULL);
INSERT INTO public.denotations VALUES (1, 30, 'T31', 1629, 1767, NULL, 'Vote', NULL);
INSERT INTO public.denotations VALUES (1, 31, 'T32', 1768, 1987, NULL, 'Vote', NULL);
INSERT INTO public.denotations VALUES (2, 0, 'T1', 47, 55, NULL, 'Money', NULL);
INSERT INTO public.denotations VALUES (2, 1, 'T2', 118, 142, NULL, 'Address', NULL);
INSERT INTO public.denotations VALUES (2, 2, 'T3', 427, 450, NULL, 'Person', NULL);
INSERT INTO public.denotations VALUES (2, 3, 'T4', 467, 492, NULL, 'Person', NULL);
INSERT INTO public.denotations VALUES (2, 4, 'T5', 502, 523, NULL, 'Ordinance', NULL);
INSERT INTO public.denotations VALUES (2, 5, 'T6', 664, 675, NULL, 'Person', NULL);
INSERT INTO public.denotations VALUES (2, 6, 'T7', 1029, 1037, NULL, 'Money', NULL);
INSERT INTO public.denotations VALUES (2, 7, 'T8', 1082, 1104, NULL, 'Person', NULL);
INSERT INTO public.denotations VALUES (2, 8, 'T9', 1233, 1256, NULL, 'Person', NULL);
INSERT INTO public.denotations VALUES (2, 9, 'T10', 1331, 1349, NULL, 'Resolution', NULL);
INSERT INTO public.denotations VALUES (2, 10, 'T11', 1787, 1810, NULL, 'Person', NULL);
INSERT INTO public.denotations VALUES (2, 11, 'T12', 1826, 1844, NULL, 'Resolution', NULL);
INSERT INTO public.denotations VALUES (2, 12, 'T13', 1846, 1871, NULL, 'Person', NULL);
INSERT INTO public.denotations VALUES (2, 13, 'T14', 1882, 1905, NULL, 'Person', NULL);
INSERT INTO public.denotations VALUES (2, 14, 'T15', 2027, 2049, NULL, 'Person', NULL);
INSERT INTO public.denotations VALUES (2, 15, 'T16', 2139, 2162, NULL, 'Person', NULL);
INSERT INTO public.denotations VALUES (2, 16, 'T17', 2202, 2225, NULL, 'Person', NULL);
INSERT INTO public.denotations VALUES (2, 17, 'T18', 2386, 2395, NULL, 'Person', NULL);
INSERT INTO public.denotations VALUES (2, 18, 'T19', 2538, 2545, NULL, 'Money', NULL);
INSERT INTO public.denotations VALUES (2, 19, 'T20', 2601, 2608, NULL, 'Money', NULL);
INSERT INTO public.denotations VALUES (2, 20, 'T21', 406, 703, NULL, 'Vote', NULL);
INSERT INTO public.denotations VALUES (2, 21, 'T22', 1082, 1330, NULL, 'Vote', NULL);
INSERT INTO public.denotations VALUES (2, 22, 'T23', 1787, 2171, NULL, 'Vote', NULL);
INSERT INTO public.denotations VALUES (2, 23, 'T24', 1882, 2076, NULL, 'Vote', NULL);
INSERT INTO public.denotations VALUES (2, 24, 'T25', 2202, 2363, NULL, 'Vote', NULL);
INSERT INTO public.denotations VALUES (3, 0, 'T1', 3, 17, NULL, 'Date', NULL);
INSERT INTO public.denotations VALUES (3, 1, 'T2', 47, 69, NULL, 'Person', NULL);
INSERT INTO public.denotations VALUES (3, 2, 'T3', 83, 106, NULL, 'Person', NULL);
INSERT INTO public.denotations VALUES (3, 3, 'T4', 172, 186, NULL, 'Address', NULL);
INSERT INTO public.denotations VALUES (3, 4, 'T5', 230, 243, NULL, 'Person', NULL);
INSERT INTO public.denotations VALUES (3, 5, 'T6', 250, 262, NULL, 'Person', NULL);
INSERT INTO public.denotations VALUES (3, 6, 'T7', 269, 282, NULL, 'Person', NULL);
INSERT INTO public.denotations VALUES (3, 7, 'T8', 289, 304, NULL, 'Person', NULL);
INSERT INTO public.denotations VALUES (3, 8, 'T9', 311, 329, NULL, 'Person', NULL);
INSERT INTO public.denotations VALUES (3, 9, 'T10', 427, 454, NULL, 'Person', NULL);
INSERT INTO public.denotations VALUES (3, 10, 'T11', 464, 481, NULL, 'Date', NULL);
INSERT INTO public.denotations VALUES (3, 11, 'T12', 37, 351, NULL, 'Vote', NULL);
INSERT INTO public.denotations VALUES (4, 0, 'T1', 74, 87, NULL, 'Date', NULL);
INSERT INTO public.denotations VALUES (4, 1, 'T2', 144, 156, NULL, 'Body', NULL);
INSERT INTO public.denotations VALUES (4, 2, 'T3', 202, 226, NULL, 'Person', NULL);
INSERT INTO public.denotations VALUES (4, 3, 'T4', 309, 340, NULL, 'Person', NULL);
INSERT INTO public.denotations VALUES (4, 4, 'T5', 418, 430, NULL, 'Date', NULL);
INSERT INTO public.denotations VALUES (4, 5, 'T6', 485, 502, NULL, 'Address', NULL);
INSERT INTO public.denotations VALUES (4, 6, 'T7', 717, 731, NULL, 'Address', NULL);
INSERT INTO public.denotations VALUES (4, 7, 'T8', 866, 890, NULL, 'Person', NULL);
INSERT INTO public.denotations VALUES (4, 8, 'T9', 1006, 1017, NULL, 'Money', NULL);
INSERT INTO public.denotations VALUES (4, 9, 'T10', 1096, 1113, NULL, 'Ordinance', NULL);
INSERT INTO public.denotations VALUES (4, 10, 'T11', 1129, 1150, NULL, 'Ordinance', NULL);
INSERT INTO public.denotations VALUES (4, 11, 'T12', 1362, 1365, NULL, 'Money', NULL);
INSERT INTO public.denotations VALUES (4, 12, 'T13', 1369, 1373, NULL, 'Money', NULL);
INSERT INTO public.denotations VALUES (4, 13, 'T14', 1658, 1676, NULL, 'Resolution', NULL);
INSERT INTO public.denotations VALUES (4, 14, 'T15', 1968, 1986, NULL, 'Resolution', NULL);
INSERT INTO public.denotations VALUES (4, 15, 'T16', 1999, 2006, NULL, 'Money', NULL);
INSERT INTO public.denotations VALUES (4, 16, 'T17', 2143, 2154, NULL, 'Money', NULL);
INSERT INTO public.denotations VALUES (4, 17, 'T18', 2156, 2180, NULL, 'Person', NULL);
INSERT INTO public.denotations VALUES (4, 18, 'T19', 2233, 2241, NULL, 'Money', NULL);
INSERT INTO public.denotations VALUES (4, 19, 'T20', 2417, 2428, NULL, 'Person', NULL);
INSERT INTO public.denotations VALUES (4, 20, 'T21', 2543, 2556, NULL, 'Date', NULL);
INSERT INTO public.denotations VALUES (4, 21, 'T22', 2650, 2662, NULL, 'Person', NULL);
INSERT INTO public.denotations VALUES (4, 22, 'T23', 2760, 2766, NULL, 'Money', NULL);
INSERT INTO public.denotations VALUES (4, 23, 'T24', 2844, 2866, NULL, 'Person', NULL);
INSERT INTO public.denotations VALUES (4, 24, 'T25', 2938, 2961, NULL, 'Person', NULL);
INSERT INTO public.denotations VALUES (4, 25, 'T26', 3031, 3034, NULL, 'Money', NULL);
INSERT INTO public.denotations VALUES (4, 26, 'T27', 3039, 3042, NULL, 'Money', NULL);
INSERT INTO public.denotations VALUES (4, 27, 'T28', 3077, 3095, NULL, 'Person', NULL);
INSERT INTO public.denotations VALUES (4, 28, 'T29', 3133, 3149, NULL, 'Body', NULL);
INSERT INTO public.denotations VALUES (4, 29, 'T30', 3199, 3216, NULL, 'Date', NULL);
INSERT INTO public.denotations VALUES (4, 30, 'T31', 3347, 3361, NULL, 'Date', NULL);
INSERT INTO public.denotations VALUES (4, 31, 'T32', 3367, 3382, NULL, 'Body', NULL);
INSERT INTO public.denotations VALUES (4, 32, 'T33', 3430, 3444, NULL, 'Address', NULL);
INSERT INTO public.denotations VALUES (4, 33, 'T34', 3459, 3472, NULL, 'Date', NULL);
INSERT INTO public.denotations VALUES (4, 34, 'T35', 3512, 3515, NULL, 'Money', NULL);
INSERT INTO public.denotations VALUES (4, 35, 'T36', 350, 451, NULL, 'Vote', NULL);
INSERT INTO public.denotations VALUES (4, 36, 'T37', 916, 1095, NULL, 'Vote', NULL);
INSERT INTO public.denotations VALUES (4, 37, 'T38', 1243, 1309, NULL, 'Vote', NULL);
INSERT INTO public.denotations VALUES (4, 38, 'T39', 1310, 1421, NULL, 'Vote', NULL);
INSERT INTO public.denotations VALUES (4, 39, 'T40', 1422, 1553, NULL, 'Vote', NULL);
INSERT INTO public.denotations VALUES (4, 40, 'T41', 1554, 1657, NULL, 'Vote', NULL);
INSERT INTO public.denotations VALUES (4, 41, 'T42', 1917, 2053, NULL, 'Vote', NULL);
INSERT INTO public.denotations VALUES (4, 42, 'T43', 2061, 2403, NULL, 'Vote', NULL);
INSERT INTO public.denotations VALUES (4, 43, 'T44', 2693, 2826, NULL, 'Vote', NULL);
INSERT INTO public.denotations VALUES (5, 0, 'T1', 0, 12, NULL, 'Body', NULL);
INSERT INTO public.denotations VALUES (5, 1, 'T2', 14, 27, NULL, 'Date', NULL);
INSERT INTO public.denotations VALUES (5, 2, 'T3', 109, 121, NULL, 'Date', NULL);
INSERT INTO public.denotations VALUES (5, 3, 'T4', 272, 293, NULL, 'Body', NULL);
INSERT INTO public.denotations VALUES (5, 4, 'T5', 356, 362, NULL, 'Money', NULL);
INSERT INTO public.denotations VALUES (5, 5, 'T6', 376, 402, NULL, 'Body', NULL);
INSERT INTO public.denotations VALUES (5, 6, 'T7', 438, 451, NULL, 'Date', NULL);
INSERT INTO public.denotations VALUES (5, 7, 'T8', 755, 782, NULL, 'Person', NULL);
INSERT INTO public.denotations VALUES (5, 8, 'T9', 663, 746, NULL, 'Vote', NULL);
INSERT INTO public.denotations VALUES (6, 0, 'T1', 0, 3, NULL, 'Word', NULL);
INSERT INTO public.denotations VALUES (6, 1, 'T2', 4, 9, NULL, 'Person', NULL);
INSERT INTO public.denotations VALUES (7, 0, 'T1', 0, 3, NULL, 'Word', NULL);
INSERT INTO public.denotations VALUES (7, 1, 'T2', 4, 9, NULL, 'Person', NULL);
INSERT INTO public.denotations VALUES (8, 0, 'T1', 0, 3, NULL, 'Word', NULL);
INSERT INTO public.denotations VALUES (8, 1, 'T2', 4, 9, NULL, 'Person', NULL);
INSERT INTO public.denotations VALUES (9, 0, 'T1', 0, 3, NULL, 'Word', NULL);
INSERT INTO public.denotations VALUES (9, 1, 'T2', 4, 9, NULL, 'Person', NULL);
INSERT INTO public.denotations VALUES (10, 0, 'T1', 0, 3, NULL, 'Word', NULL);
INSERT INTO public.denotations VALUES (10, 1, 'T2', 4, 9, NULL, 'Person', NULL);
INSERT INTO public.denotations VALUES (11, 0, 'T1', 0, 3, NULL, 'Word', NULL);
INSERT INTO public.denotations VALUES (11, 1, 'T2', 4, 9, NULL, 'Person', NULL);
INSERT INTO public.items VALUES (1, 1, 'springfield-e28f42eef7fc', 'fetch', NULL, 1, 'completed', 1, 0, 0, 0, false, 'b110999c93094e5ea24ff64ff279978f', '2026-11-17 06:00:55.352604+00', NULL, NULL, NULL, NULL, '2026-11-17 06:00:55.352604+00', '2026-11-17 06:00:57.410216+00');
INSERT INTO public.items VALUES (5, 2, 'springfield-e28f42eef7fc', 'document', 'School/2023-11-21.pdf', 1, 'failed', 0, 0, 0, 0, false, NULL, '2026-11-17 06:00:57.410216+00', NULL, NULL, NULL, 'UnreadablePdf: is not a PDF, although it is called one', '2026-11-17 06:00:57.410216+00', NULL);
INSERT INTO public.items VALUES (2, 2, 'springfield-e28f42eef7fc', 'document', 'minutes/Council/2023-01-23', 1, 'completed', 1, 0, 0, 0, false, '78c8b9f6d9bc4f17ab51b912510243fb', '2026-11-17 06:00:57.410216+00', 6109, '46d86b432ee00da3a6950864bc28dbc1334cb48ce8b7ca8712fb6ba66c44d80d', 3, NULL, '2026-11-17 06:00:57.410216+00', '2026-11-17 06:00:57.724243+00');
INSERT INTO public.items VALUES (3, 2, 'springfield-e28f42eef7fc', 'document', 'minutes/Council/2024-06-10', 1, 'completed', 1, 0, 0, 0, false, '17a55d05af334f53bf03f2700d5c4d8d', '2026-11-17 06:00:57.410216+00', 4998, '1c07d7b5f5e53b292613324ff903b919d100b1ca848465bfff292612ff27ed20', 2, NULL, '2026-11-17 06:00:57.410216+00', '2026-11-17 06:00:57.904335+00');
INSERT INTO public.items VALUES (4, 2, 'springfield-e28f42eef7fc', 'document', 'minutes/School/2023-10-17', 1, 'quarantined', 2, 0, 2, 0, true, '8b1ab8533cd34151903b905fa7852fe1', '2026-11-17 06:00:58.186139+00', 4704, 'd63236d35c81cf153ebdd4d7d7bf506adc4dd698be36c0e0e81a0e8fbb593523', NULL, 'The working process was killed by SIGKILL', '2026-11-17 06:00:57.410216+00', '2026-11-17 06:00:58.186139+00');
INSERT INTO public.items VALUES (6, 3, 'springfield-e28f42eef7fc', 'coordinator', NULL, 0, 'completed', 1, 0, 0, 0, false, '99030576fcad46dfabfd444aa116932c', '2026-11-17 06:00:58.186139+00', NULL, NULL, NULL, NULL, '2026-11-17 06:00:58.186139+00', '2026-11-17 06:00:58.405057+00');
INSERT INTO public.items VALUES (7, 4, 'springfield-e28f42eef7fc', 'compile', NULL, 1, 'completed', 1, 0, 0, 0, false, '7fa67a1d5bd74d2d8fe247b4a2724974', '2026-11-17 06:00:58.405057+00', NULL, NULL, NULL, NULL, '2026-11-17 06:00:58.405057+00', '2026-11-17 06:00:59.527997+00');
INSERT INTO public.items VALUES (8, 5, 'springfield-e28f42eef7fc', 'extract', NULL, 1, 'completed', 1, 0, 0, 0, false, 'c0d4b92371874670b85d285d662b2d7e', '2026-11-17 06:00:58.405057+00', NULL, NULL, NULL, NULL, '2026-11-17 06:00:58.405057+00', '2026-11-17 06:01:01.253596+00');
INSERT INTO public.items VALUES (9, 7, 'springfield-e28f42eef7fc', 'deploy', NULL, 1, 'completed', 1, 0, 0, 0, false, '9adad7d96e014ecba6cd3bb2306e27f8', '2026-11-17 06:01:01.253596+00', NULL, NULL, NULL, NULL, '2026-11-17 06:01:01.253596+00', '2026-11-17 06:01:01.477057+00');
INSERT INTO public.items VALUES (10, 8, 'shelbyville-c27fe032e889', 'fetch', NULL, 1, 'completed', 1, 0, 0, 0, false, 'd25863f6733f4a8fa371aa9896ae55e9', '2026-11-17 06:01:01.695441+00', NULL, NULL, NULL, NULL, '2026-11-17 06:01:01.695441+00', '2026-11-17 06:01:03.181773+00');
INSERT INTO public.items VALUES (11, 9, 'shelbyville-c27fe032e889', 'document', 'minutes/Council/2023-04-05', 1, 'completed', 1, 0, 0, 0, false, 'f93e8705d04947ea87ff66ed6b597486', '2026-11-17 06:01:03.181773+00', 2358, '2c73a1086f7b19349f4923d412fe2b24456cad817759602f5819e37f4ff29539', 1, NULL, '2026-11-17 06:01:03.181773+00', '2026-11-17 06:01:03.334233+00');
INSERT INTO public.items VALUES (12, 9, 'shelbyville-c27fe032e889', 'document', 'minutes/Council/2023-09-20', 1, 'pending', 1, 0, 0, 1, true, '2df24c206a284e78b0386ae4e8dbb562', '2026-11-17 06:01:11.551562+00', 3668, '18e2e083bd3cc9689dde66c1823df84d0bf9a562c4bd21f5915acf57e0d25d74', NULL, 'The worker died', '2026-11-17 06:01:03.181773+00', NULL);
INSERT INTO public.items VALUES (13, 9, 'shelbyville-c27fe032e889', 'document', 'minutes/Council/2024-05-21', 1, 'pending', 1, 0, 0, 0, false, NULL, '2026-11-17 06:01:11.551562+00', 1800, '5b276211d69dba62b02bef4cb7abca9c63313cd8afd215856e2311625b0076bf', NULL, NULL, '2026-11-17 06:01:03.181773+00', NULL);
INSERT INTO public.jobs VALUES (1, 'stage', 'springfield-e28f42eef7fc', 'springfield', 'fetch', 'fetch', 'closed', 1, 1, 0, 0, 1.2866216630009149, '{"new": 3, "gaps": 0, "gone": 0, "moved": 0, "changed": 0, "fetcher": "folder", "skipped": 0, "meetings": 4, "unchanged": 0, "skipped_names": []}', '2026-11-17 06:00:56.003969+00', '2026-11-17 06:00:55.352604+00', '2026-11-17 06:00:57.410216+00', '2026-11-17 06:00:57.410216+00');
INSERT INTO public.jobs VALUES (8, 'stage', 'shelbyville-c27fe032e889', 'shelbyville', 'fetch', 'fetch', 'closed', 1, 1, 0, 0, 1.0309102229985, '{"new": 3, "gaps": 0, "gone": 0, "moved": 0, "changed": 0, "fetcher": "folder", "skipped": 0, "meetings": 3, "unchanged": 0, "skipped_names": []}', '2026-11-17 06:01:02.014668+00', '2026-11-17 06:01:01.695441+00', '2026-11-17 06:01:03.181773+00', '2026-11-17 06:01:03.181773+00');
INSERT INTO public.jobs VALUES (2, 'stage', 'springfield-e28f42eef7fc', 'springfield', 'ocr', 'ocr', 'closed', 4, 2, 2, 0, 0.1448900000013964, '{"engine": "reader 1 auto | tesseract-onnx 5.5.3+onnx2.3 eng 200 dpi"}', '2026-11-17 06:00:58.088356+00', '2026-11-17 06:00:57.410216+00', '2026-11-17 06:00:58.186139+00', '2026-11-17 06:00:58.186139+00');
INSERT INTO public.jobs VALUES (3, 'coordinator', 'springfield-e28f42eef7fc', 'springfield', 'ocr', 'compilation', 'closed', 0, 0, 0, -1, 0.0011841019986604806, '{}', '2026-11-17 06:00:58.313835+00', '2026-11-17 06:00:58.186139+00', '2026-11-17 06:00:58.405057+00', '2026-11-17 06:00:58.405057+00');
INSERT INTO public.jobs VALUES (4, 'stage', 'springfield-e28f42eef7fc', 'springfield', 'compilation', 'compilation', 'closed', 1, 1, 0, 0, 0.8333004159994744, '{"pages": 5, "documents": 2}', '2026-11-17 06:00:58.61852+00', '2026-11-17 06:00:58.405057+00', '2026-11-17 06:00:59.527997+00', '2026-11-17 06:00:59.527997+00');
INSERT INTO public.jobs VALUES (6, 'upload', NULL, NULL, 'annotations', 'annotations', 'closed', 5, 5, 0, 0, 0, '{}', '2026-11-17 06:01:00.992452+00', '2026-11-17 06:01:00.992452+00', '2026-11-17 06:01:00.992452+00', '2026-11-17 06:01:00.992452+00');
INSERT INTO public.jobs VALUES (9, 'stage', 'shelbyville-c27fe032e889', 'shelbyville', 'ocr', 'ocr', 'open', 3, 1, 0, 0, 0.020050863999131252, '{"engine": "reader 1 auto | tesseract-onnx 5.5.3+onnx2.3 eng 200 dpi"}', '2026-11-17 06:01:03.369969+00', '2026-11-17 06:01:03.181773+00', '2026-11-17 06:01:03.334233+00', NULL);
INSERT INTO public.jobs VALUES (5, 'stage', 'springfield-e28f42eef7fc', 'springfield', 'extraction', 'extraction', 'closed', 1, 1, 0, 0, 1.6281716220000817, '{"votes": 19, "failed": {}, "entities": 103}', '2026-11-17 06:00:59.592642+00', '2026-11-17 06:00:58.405057+00', '2026-11-17 06:01:01.253596+00', '2026-11-17 06:01:01.253596+00');
INSERT INTO public.jobs VALUES (7, 'stage', 'springfield-e28f42eef7fc', 'springfield', 'deploy', 'deploy', 'closed', 1, 1, 0, 0, 0.04832493600042653, '{"path": "{root}/sites/_published/springfield", "changed": true}', '2026-11-17 06:01:01.384498+00', '2026-11-17 06:01:01.253596+00', '2026-11-17 06:01:01.477057+00', '2026-11-17 06:01:01.477057+00');
INSERT INTO public.jobs VALUES (10, 'upload', NULL, NULL, 'annotations', 'annotations', 'closed', 3, 3, 0, 0, 0.21745342200119921, '{}', '2026-11-17 06:01:08.990477+00', '2026-11-17 06:01:08.215185+00', '2026-11-17 06:01:09.304168+00', '2026-11-17 06:01:09.304168+00');
INSERT INTO public.jobs VALUES (11, 'upload', NULL, NULL, 'annotations', 'annotations', 'open', 8, 4, 0, 0, 0.3593588969997654, '{}', '2026-11-17 06:01:13.755439+00', '2026-11-17 06:01:11.015066+00', '2026-11-17 06:01:13.266647+00', NULL);
INSERT INTO public.quarantine VALUES (1, 'springfield', 'minutes/School/2023-10-17', 'd63236d35c81cf153ebdd4d7d7bf506adc4dd698be36c0e0e81a0e8fbb593523', 'reader 1 auto | tesseract-onnx 5.5.3+onnx2.3 eng 200 dpi', 'quarantined', 'The working process was killed by SIGKILL', '2026-11-17 06:00:58.186139+00');
INSERT INTO public.queues VALUES ('annotations', 'root', '2026-11-17 06:01:24.110483+00');
INSERT INTO public.relations VALUES (1, 0, 'R1', 'T30', 'mover', 'T9');
INSERT INTO public.relations VALUES (1, 1, 'R2', 'T30', 'seconder', 'T10');
INSERT INTO public.relations VALUES (1, 2, 'R3', 'T31', 'mover', 'T19');
INSERT INTO public.relations VALUES (1, 3, 'R4', 'T31', 'seconder', 'T20');
INSERT INTO public.relations VALUES (1, 4, 'R5', 'T32', 'mover', 'T21');
INSERT INTO public.relations VALUES (1, 5, 'R6', 'T32', 'seconder', 'T22');
INSERT INTO public.relations VALUES (2, 0, 'R1', 'T21', 'mover', 'T3');
INSERT INTO public.relations VALUES (2, 1, 'R2', 'T21', 'seconder', 'T4');
INSERT INTO public.relations VALUES (2, 2, 'R3', 'T22', 'mover', 'T8');
INSERT INTO public.relations VALUES (2, 3, 'R4', 'T22', 'seconder', 'T9');
INSERT INTO public.relations VALUES (2, 4, 'R5', 'T23', 'mover', 'T11');
INSERT INTO public.relations VALUES (2, 5, 'R6', 'T23', 'seconder', 'T13');
INSERT INTO public.relations VALUES (2, 6, 'R7', 'T24', 'mover', 'T14');
INSERT INTO public.relations VALUES (2, 7, 'R8', 'T24', 'seconder', 'T15');
INSERT INTO public.relations VALUES (2, 8, 'R9', 'T25', 'mover', 'T17');
INSERT INTO public.relations VALUES (3, 0, 'R1', 'T12', 'mover', 'T2');
INSERT INTO public.relations VALUES (3, 1, 'R2', 'T12', 'seconder', 'T3');
INSERT INTO public.relations VALUES (6, 0, 'R1', 'T1', 'before', 'T2');
INSERT INTO public.relations VALUES (7, 0, 'R1', 'T1', 'before', 'T2');
INSERT INTO public.relations VALUES (8, 0, 'R1', 'T1', 'before', 'T2');
INSERT INTO public.relations VALUES (9, 0, 'R1', 'T1', 'before', 'T2');
INSERT INTO public.relations VALUES (10, 0, 'R1', 'T1', 'before', 'T2');
INSERT INTO public.relations VALUES (11, 0, 'R1', 'T1', 'before', 'T2');
INSERT INTO public.runs VALUES ('springfield-e28f42eef7fc', 'springfield', 1, 'partial', NULL, '{}', NULL, '2026-11-17 06:00:55.352604+00', '2026-11-17 06:01:01.477057+00');
INSERT INTO public.runs VALUES ('shelbyville-c27fe032e889', 'shelbyville', 1, 'active', NULL, '{}', NULL, '2026-11-17 06:01:01.695441+00', NULL);
INSERT INTO public.sites VALUES ('springfield', 'Springfield', 'IL', NULL, 'folder', NULL, NULL, '{"source": "{root}/documents/springfield"}', NULL, NULL, NULL, 'completed', '2026-11-17 06:00:55.352604+00', '2026-11-17 06:01:01.477057+00', 1, 1, 0, 4, 2, 2, 1, 1, 0, 1, 1, 0, 1, 1, 0, false, 'ocr', 'The working process was killed by SIGKILL', '2026-11-17 06:00:58.186139+00');
INSERT INTO public.sites VALUES ('shelbyville', 'Shelbyville', 'IL', NULL, 'folder', NULL, NULL, '{"source": "{root}/documents/shelbyville"}', NULL, NULL, NULL, 'ocr', '2026-11-17 06:01:01.695441+00', '2026-11-17 06:01:03.334233+00', 1, 1, 0, 3, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, false, NULL, NULL, NULL);
INSERT INTO public.stage_events VALUES (1, '2026-11-17 06:00:55.352604+00', 'run started', 'springfield', 'springfield-e28f42eef7fc', 'fetch', 0, 0, NULL, NULL);
INSERT INTO public.stage_events VALUES (2, '2026-11-17 06:00:57.410216+00', 'finished', 'springfield', 'springfield-e28f42eef7fc', 'fetch', 1, 0, 1.2866216630009149, NULL);
INSERT INTO public.stage_events VALUES (3, '2026-11-17 06:00:57.724243+00', 'finished', 'springfield', 'springfield-e28f42eef7fc', 'ocr', 1, 0, 0.07232973300051526, NULL);
INSERT INTO public.stage_events VALUES (4, '2026-11-17 06:00:57.904335+00', 'finished', 'springfield', 'springfield-e28f42eef7fc', 'ocr', 1, 0, 0.07256026700088114, NULL);
INSERT INTO public.stage_events VALUES (5, '2026-11-17 06:00:57.926146+00', 'crashed', 'springfield', 'springfield-e28f42eef7fc', 'ocr', 0, 0, NULL, 'minutes/School/2023-10-17: The working process was killed by SIGKILL');
INSERT INTO public.stage_events VALUES (6, '2026-11-17 06:00:58.186139+00', 'crashed', 'springfield', 'springfield-e28f42eef7fc', 'ocr', 0, 0, NULL, 'minutes/School/2023-10-17: The working process was killed by SIGKILL');
INSERT INTO public.stage_events VALUES (7, '2026-11-17 06:00:58.186139+00', 'finished', 'springfield', 'springfield-e28f42eef7fc', 'ocr', 0, 1, 0, 'The working process was killed by SIGKILL');
INSERT INTO public.stage_events VALUES (8, '2026-11-17 06:00:59.527997+00', 'finished', 'springfield', 'springfield-e28f42eef7fc', 'compilation', 1, 0, 0.8333004159994744, NULL);
INSERT INTO public.stage_events VALUES (9, '2026-11-17 06:01:01.253596+00', 'finished', 'springfield', 'springfield-e28f42eef7fc', 'extraction', 1, 0, 1.6281716220000817, NULL);
INSERT INTO public.stage_events VALUES (10, '2026-11-17 06:01:01.477057+00', 'finished', 'springfield', 'springfield-e28f42eef7fc', 'deploy', 1, 0, 0.04832493600042653, NULL);
INSERT INTO public.stage_events VALUES (11, '2026-11-17 06:01:01.477057+00', 'run partial', 'springfield', 'springfield-e28f42eef7fc', 'deploy', 0, 0, NULL, NULL);
INSERT INTO public.stage_events VALUES (12, '2026-11-17 06:01:01.695441+00', 'run started', 'shelbyville', 'shelbyville-c27fe032e889', 'fetch', 0, 0, NULL, NULL);
INSERT INTO public.stage_events VALUES (13, '2026-11-17 06:01:03.181773+00', 'finished', 'shelbyville', 'shelbyville-c27fe032e889', 'fetch', 1, 0, 1.0309102229985, NULL);
INSERT INTO public.stage_events VALUES (14, '2026-11-17 06:01:03.334233+00', 'finished', 'shelbyville', 'shelbyville-c27fe032e889', 'ocr', 1, 0, 0.020050863999131252, NULL);
INSERT INTO public.stage_events VALUES (15, '2026-11-17 06:01:09.304168+00', 'finished', NULL, NULL, 'annotations', 3, 0, 0.21745342200119921, NULL);
INSERT INTO public.stage_events VALUES (16, '2026-11-17 06:01:11.551562+00', 'crashed', 'shelbyville', 'shelbyville-c27fe032e889', 'ocr', 0, 0, NULL, 'minutes/Council/2023-09-20: The worker died');
INSERT INTO public.stage_events VALUES (17, '2026-11-17 06:01:12.964888+00', 'finished', NULL, NULL, 'annotations', 2, 0, 0.20703279900044436, NULL);
INSERT INTO public.stage_events VALUES (18, '2026-11-17 06:01:13.266647+00', 'finished', NULL, NULL, 'annotations', 2, 0, 0.15232609799932106, NULL);
INSERT INTO public.tokens VALUES (1, 'reports', 'viewer', '0b2470145dc4603abbae6a361632adb2e4a49f921210fc5c6c61604b0837d7e2', 'ann', '2026-11-17 06:01:24.336135+00', NULL);
INSERT INTO public.workers VALUES ('townhall-15449-83ab6876', 'townhall/00000000-0000-0000-0000-000000000000', 15449, 'fetch,ocr,compilation,extraction,deploy,annotations', '{root}/sites/_clerk/workers/townhall-15449-83ab6876.lock', '0.1.0', '2026-11-17 06:01:01.824775+00', '2026-11-17 06:01:01.842596+00', '2026-11-17 06:01:13.842596+00');
INSERT INTO public.workers VALUES ('townhall-15615-473fc317', 'townhall/00000000-0000-0000-0000-000000000000', 15615, 'annotations', '{root}/sites/_clerk/workers/townhall-15615-473fc317.lock', '0.1.0', '2026-11-17 06:01:11.272192+00', '2026-11-17 06:01:13.96892+00', '2026-11-17 06:01:25.96892+00');
SELECT pg_catalog.setval('public.annotation_documents_id_seq', 11, true);
SELECT pg_catalog.setval('public.annotation_issues_id_seq', 1, true);
SELECT pg_catalog.setval('public.annotation_projects_id_seq', 3, true);
SELECT pg_catalog.setval('public.annotation_sets_id_seq', 11, true);
SELECT pg_catalog.setval('public.audit_id_seq', 4, true);
SELECT pg_catalog.setval('public.batch_job_trackings_id_seq', 16, true);
SELECT pg_catalog.setval('public.items_id_seq', 13, true);
SELECT pg_catalog.setval('public.jobs_id_seq', 11, true);
SELECT pg_catalog.setval('public.quarantine_id_seq', 1, true);
SELECT pg_catalog.setval('public.stage_events_id_seq', 18, true);
SELECT pg_catalog.setval('public.tokens_id_seq', 1, true);
ALTER TABLE ONLY public.alembic_version
    ADD CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num);
ALTER TABLE ONLY public.job_tracking
    ADD CONSTRAINT job_tracking_pkey PRIMARY KEY (rq_job_id);
ALTER TABLE ONLY public.annotation_documents
    ADD CONSTRAINT pk_annotation_documents PRIMARY KEY (id);
ALTER TABLE ONLY public.annotation_issues
    ADD CONSTRAINT pk_annotation_issues PRIMARY KEY (id);
ALTER TABLE ONLY public.annotation_projects
    ADD CONSTRAINT pk_annotation_projects PRIMARY KEY (id);
ALTER TABLE ONLY public.annotation_sets
    ADD CONSTRAINT pk_annotation_sets PRIMARY KEY (id);
ALTER TABLE ONLY public.annotation_uploads
    ADD CONSTRAINT pk_annotation_uploads PRIMARY KEY (job_id);
ALTER TABLE ONLY public.attributes
    ADD CONSTRAINT pk_attributes PRIMARY KEY (set_id, "position");
ALTER TABLE ONLY public.audit
    ADD CONSTRAINT pk_audit PRIMARY KEY (id);
ALTER TABLE ONLY public.batch_failures
    ADD CONSTRAINT pk_batch_failures PRIMARY KEY (stage, sourcedb, sourceid);
ALTER TABLE ONLY public.batch_history
    ADD CONSTRAINT pk_batch_history PRIMARY KEY (hour, stage);
ALTER TABLE ONLY public.batch_job_trackings
    ADD CONSTRAINT pk_batch_job_trackings PRIMARY KEY (id);
ALTER TABLE ONLY public.blocks
    ADD CONSTRAINT pk_blocks PRIMARY KEY (set_id, "position");
ALTER TABLE ONLY public.denotations
    ADD CONSTRAINT pk_denotations PRIMARY KEY (set_id, "position");
ALTER TABLE ONLY public.items
    ADD CONSTRAINT pk_items PRIMARY KEY (id);
ALTER TABLE ONLY public.jobs
    ADD CONSTRAINT pk_jobs PRIMARY KEY (id);
ALTER TABLE ONLY public.quarantine
    ADD CONSTRAINT pk_quarantine PRIMARY KEY (id);
ALTER TABLE ONLY public.queues
    ADD CONSTRAINT pk_queues PRIMARY KEY (name);
ALTER TABLE ONLY public.relations
    ADD CONSTRAINT pk_relations PRIMARY KEY (set_id, "position");
ALTER TABLE ONLY public.runs
    ADD CONSTRAINT pk_runs PRIMARY KEY (run_id);
ALTER TABLE ONLY public.stage_events
    ADD CONSTRAINT pk_stage_events PRIMARY KEY (id);
ALTER TABLE ONLY public.tokens
    ADD CONSTRAINT pk_tokens PRIMARY KEY (id);
ALTER TABLE ONLY public.workers
    ADD CONSTRAINT pk_workers PRIMARY KEY (id);
ALTER TABLE ONLY public.sites
    ADD CONSTRAINT sites_pkey PRIMARY KEY (subdomain);
ALTER TABLE ONLY public.annotation_documents
    ADD CONSTRAINT uq_annotation_documents_sourcedb_sourceid UNIQUE (sourcedb, sourceid);
ALTER TABLE ONLY public.annotation_projects
    ADD CONSTRAINT uq_annotation_projects_name UNIQUE (name);
ALTER TABLE ONLY public.batch_job_trackings
    ADD CONSTRAINT uq_batch_job_trackings_claim UNIQUE (claim);
ALTER TABLE ONLY public.items
    ADD CONSTRAINT uq_items_job_id_document UNIQUE (job_id, document);
ALTER TABLE ONLY public.jobs
    ADD CONSTRAINT uq_jobs_run_id_kind_stage UNIQUE (run_id, kind, stage);
ALTER TABLE ONLY public.quarantine
    ADD CONSTRAINT uq_quarantine_subdomain_document_sha256 UNIQUE (subdomain, document, sha256);
ALTER TABLE ONLY public.runs
    ADD CONSTRAINT uq_runs_subdomain_epoch UNIQUE (subdomain, epoch);
ALTER TABLE ONLY public.tokens
    ADD CONSTRAINT uq_tokens_sha256 UNIQUE (sha256);
CREATE INDEX idx_sites_coordinator_enqueued ON public.sites USING btree (subdomain, coordinator_enqueued) WHERE (coordinator_enqueued = false);
CREATE INDEX idx_sites_current_stage ON public.sites USING btree (current_stage);
CREATE INDEX idx_sites_updated_at ON public.sites USING btree (updated_at);
CREATE INDEX ix_annotation_issues_job_id ON public.annotation_issues USING btree (job_id, code);
CREATE INDEX ix_annotation_sets_document_id ON public.annotation_sets USING btree (document_id);
CREATE INDEX ix_annotation_sets_job_id ON public.annotation_sets USING btree (job_id);
CREATE INDEX ix_audit_at ON public.audit USING btree (at);
CREATE INDEX ix_batch_job_trackings_created ON public.batch_job_trackings USING btree (created_at);
CREATE INDEX ix_batch_job_trackings_parent ON public.batch_job_trackings USING btree (parent_job_id, status);
CREATE INDEX ix_batch_job_trackings_pending ON public.batch_job_trackings USING btree (parent_job_id, id) WHERE ((status)::text = 'pending'::text);
CREATE INDEX ix_batch_job_trackings_running ON public.batch_job_trackings USING btree (worker_id) WHERE ((status)::text = 'running'::text);
CREATE INDEX ix_items_failed ON public.items USING btree (job_id) WHERE ((state)::text = ANY ((ARRAY['failed'::character varying, 'quarantined'::character varying])::text[]));
CREATE INDEX ix_items_pending ON public.items USING btree (job_id, alone, id) WHERE ((state)::text = 'pending'::text);
CREATE INDEX ix_items_run_id ON public.items USING btree (run_id);
CREATE INDEX ix_items_running ON public.items USING btree (claim) WHERE ((state)::text = 'running'::text);
CREATE INDEX ix_job_tracking_subdomain ON public.job_tracking USING btree (subdomain);
CREATE INDEX ix_jobs_claimable ON public.jobs USING btree (queue, rank, claimed_at, id) WHERE ((state)::text = 'open'::text);
CREATE INDEX ix_stage_events_at ON public.stage_events USING btree (at);
CREATE INDEX ix_stage_events_event ON public.stage_events USING btree (event, at);
CREATE INDEX ix_stage_events_subdomain ON public.stage_events USING btree (subdomain, id);
CREATE UNIQUE INDEX uq_annotation_sets_current ON public.annotation_sets USING btree (project_id, document_id) WHERE is_current;
CREATE UNIQUE INDEX uq_runs_active ON public.runs USING btree (subdomain) WHERE ((state)::text = 'active'::text);
ALTER TABLE ONLY public.annotation_issues
    ADD CONSTRAINT fk_annotation_issues_job_id FOREIGN KEY (job_id) REFERENCES public.jobs(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.annotation_sets
    ADD CONSTRAINT fk_annotation_sets_project_id FOREIGN KEY (project_id) REFERENCES public.annotation_projects(id);
ALTER TABLE ONLY public.annotation_uploads
    ADD CONSTRAINT fk_annotation_uploads_job_id FOREIGN KEY (job_id) REFERENCES public.jobs(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.annotation_uploads
    ADD CONSTRAINT fk_annotation_uploads_project_id FOREIGN KEY (project_id) REFERENCES public.annotation_projects(id);
ALTER TABLE ONLY public.batch_job_trackings
    ADD CONSTRAINT fk_batch_job_trackings_parent_batch_id FOREIGN KEY (parent_batch_id) REFERENCES public.batch_job_trackings(id) ON DELETE SET NULL;
ALTER TABLE ONLY public.batch_job_trackings
    ADD CONSTRAINT fk_batch_job_trackings_parent_job_id FOREIGN KEY (parent_job_id) REFERENCES public.jobs(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.items
    ADD CONSTRAINT fk_items_job_id FOREIGN KEY (job_id) REFERENCES public.jobs(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.items
    ADD CONSTRAINT fk_items_run_id FOREIGN KEY (run_id) REFERENCES public.runs(run_id) ON DELETE CASCADE;
ALTER TABLE ONLY public.jobs
    ADD CONSTRAINT fk_jobs_run_id FOREIGN KEY (run_id) REFERENCES public.runs(run_id) ON DELETE CASCADE;
ALTER TABLE ONLY public.quarantine
    ADD CONSTRAINT fk_quarantine_subdomain FOREIGN KEY (subdomain) REFERENCES public.sites(subdomain) ON UPDATE CASCADE ON DELETE CASCADE;
ALTER TABLE ONLY public.runs
    ADD CONSTRAINT fk_runs_subdomain FOREIGN KEY (subdomain) REFERENCES public.sites(subdomain) ON UPDATE CASCADE ON DELETE CASCADE;
