BEGIN TRANSACTION;
CREATE TABLE alembic_version (
	version_num VARCHAR(32) NOT NULL, 
	CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num)
);
INSERT INTO "alembic_version" VALUES('0005');
CREATE TABLE annotation_documents (
	id INTEGER NOT NULL, 
	sourcedb VARCHAR NOT NULL, 
	sourceid VARCHAR NOT NULL, 
	digest VARCHAR NOT NULL, 
	text TEXT NOT NULL, 
	job_id INTEGER, 
	CONSTRAINT pk_annotation_documents PRIMARY KEY (id), 
	CONSTRAINT uq_annotation_documents_sourcedb_sourceid UNIQUE (sourcedb, sourceid)
);
INSERT INTO "annotation_documents" VALUES(1,'springfield','minutes/Council/2023-01-23/1','22602cbdf9cfec439ea4c631e93bcf0ec2f1b53440d51892a2cec4db278ce5e9','TOWN OF MILLBROOK FALLS
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
Page 1 of 3',6);
INSERT INTO "annotation_documents" VALUES(2,'springfield','minutes/Council/2023-01-23/2','dc9f0d45b6c54f3cfd2d70a35c2cee0aabf5abeb6e4349436291c14b56385b1e','otherwise end the year with a deficit of about $184,000.
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
Page 2 of 3',6);
INSERT INTO "annotation_documents" VALUES(3,'springfield','minutes/Council/2023-01-23/3','d86a072931bd25e32113c4d23fd1578dc9d150bf24cebdf28e68b1996175b672','by March 13, 2023.
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
Page 3 of 3',6);
INSERT INTO "annotation_documents" VALUES(4,'springfield','minutes/Council/2024-06-10/1','3dea74bd6fbcafadc440a5999db5ebff9c652798cac5b26f9a45f1ef7c90138d','OFFICIAL PROCEEDINGS OF THE TOWN COUNCIL
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
Page 1 of 2',6);
INSERT INTO "annotation_documents" VALUES(5,'springfield','minutes/Council/2024-06-10/2','82d4e410732df02e9095e011babbd4900b83804825a252a7e3da9e069edc0bc9','Town Council, June 10, 2024
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
Page 2 of 2',6);
INSERT INTO "annotation_documents" VALUES(6,'springfield','minutes/101','054e0f879214fbca1ff039131f8d8dd89f85f3e1888d870700e638340e1596bc','The clerk read the minutes of the last meeting and the council approved them.',10);
INSERT INTO "annotation_documents" VALUES(7,'springfield','minutes/102','054e0f879214fbca1ff039131f8d8dd89f85f3e1888d870700e638340e1596bc','The clerk read the minutes of the last meeting and the council approved them.',10);
INSERT INTO "annotation_documents" VALUES(8,'springfield','minutes/1','9ad91db57dc5394a43e6e36eab762185db21b0a8e6eb76d68281e77aaa072cb7','The clerk read the minutes of the last meeting and the council approved them. Item 1.',11);
INSERT INTO "annotation_documents" VALUES(9,'springfield','minutes/2','e8ab82bb1e9d41831368ae2e7b70723373b2e57ebb742c5286f5e24df1e7ad7d','The clerk read the minutes of the last meeting and the council approved them. Item 2.',11);
INSERT INTO "annotation_documents" VALUES(10,'springfield','minutes/3','05ef9bd7e14b438c0c054e6f1bb2437a4f22c87a015b137f1924e01b75324dfa','The clerk read the minutes of the last meeting and the council approved them. Item 3.',11);
INSERT INTO "annotation_documents" VALUES(11,'springfield','minutes/4','4e48f1e9e16a846867c27463817b56def21cb5da6a4dd9f122cfd88be0509e61','The clerk read the minutes of the last meeting and the council approved them. Item 4.',11);
CREATE TABLE annotation_issues (
	id INTEGER NOT NULL, 
	job_id INTEGER NOT NULL, 
	code VARCHAR NOT NULL, 
	message TEXT NOT NULL, 
	file VARCHAR DEFAULT '' NOT NULL, 
	line INTEGER DEFAULT 0 NOT NULL, 
	sourcedb VARCHAR DEFAULT '' NOT NULL, 
	sourceid VARCHAR DEFAULT '' NOT NULL, 
	detail TEXT DEFAULT '' NOT NULL, 
	times INTEGER DEFAULT 1 NOT NULL, 
	CONSTRAINT pk_annotation_issues PRIMARY KEY (id), 
	CONSTRAINT fk_annotation_issues_job_id FOREIGN KEY(job_id) REFERENCES jobs (id) ON DELETE CASCADE
);
INSERT INTO "annotation_issues" VALUES(1,10,'missing_source','sourcedb and sourceid are required','done.jsonl',3,'','','',1);
CREATE TABLE annotation_projects (
	id INTEGER NOT NULL, 
	name VARCHAR NOT NULL, 
	documents BIGINT DEFAULT 0 NOT NULL, 
	denotations BIGINT DEFAULT 0 NOT NULL, 
	blocks BIGINT DEFAULT 0 NOT NULL, 
	relations BIGINT DEFAULT 0 NOT NULL, 
	attributes BIGINT DEFAULT 0 NOT NULL, 
	created_at DATETIME DEFAULT (strftime('%Y-%m-%d %H:%M:%f', 'now') || '000') NOT NULL, 
	CONSTRAINT pk_annotation_projects PRIMARY KEY (id), 
	CONSTRAINT uq_annotation_projects_name UNIQUE (name)
);
INSERT INTO "annotation_projects" VALUES(1,'springfield/extraction',5,122,0,17,296,'2026-11-17 05:59:37.229000');
INSERT INTO "annotation_projects" VALUES(2,'reviewed',2,4,0,2,2,'2026-11-17 05:59:43.269000');
INSERT INTO "annotation_projects" VALUES(3,'half',4,8,0,4,4,'2026-11-17 05:59:46.048000');
CREATE TABLE annotation_sets (
	id INTEGER NOT NULL, 
	project_id INTEGER NOT NULL, 
	document_id INTEGER NOT NULL, 
	job_id INTEGER, 
	former_id INTEGER, 
	is_current BOOLEAN NOT NULL, 
	denotations BIGINT DEFAULT 0 NOT NULL, 
	blocks BIGINT DEFAULT 0 NOT NULL, 
	relations BIGINT DEFAULT 0 NOT NULL, 
	attributes BIGINT DEFAULT 0 NOT NULL, 
	namespaces TEXT, 
	tracks TEXT, 
	stored_at DATETIME DEFAULT (strftime('%Y-%m-%d %H:%M:%f', 'now') || '000') NOT NULL, 
	CONSTRAINT pk_annotation_sets PRIMARY KEY (id), 
	CONSTRAINT fk_annotation_sets_project_id FOREIGN KEY(project_id) REFERENCES annotation_projects (id)
);
INSERT INTO "annotation_sets" VALUES(1,1,1,6,NULL,1,32,0,6,66,NULL,NULL,'2026-11-17 05:59:37.495000');
INSERT INTO "annotation_sets" VALUES(2,1,2,6,NULL,1,25,0,9,74,NULL,NULL,'2026-11-17 05:59:37.495000');
INSERT INTO "annotation_sets" VALUES(3,1,3,6,NULL,1,12,0,2,24,NULL,NULL,'2026-11-17 05:59:37.495000');
INSERT INTO "annotation_sets" VALUES(4,1,4,6,NULL,1,44,0,0,116,NULL,NULL,'2026-11-17 05:59:37.495000');
INSERT INTO "annotation_sets" VALUES(5,1,5,6,NULL,1,9,0,0,16,NULL,NULL,'2026-11-17 05:59:37.495000');
INSERT INTO "annotation_sets" VALUES(6,2,6,10,NULL,1,2,0,1,1,NULL,NULL,'2026-11-17 05:59:44.857000');
INSERT INTO "annotation_sets" VALUES(7,2,7,10,NULL,1,2,0,1,1,NULL,NULL,'2026-11-17 05:59:44.857000');
INSERT INTO "annotation_sets" VALUES(8,3,8,11,NULL,1,2,0,1,1,NULL,NULL,'2026-11-17 05:59:47.412000');
INSERT INTO "annotation_sets" VALUES(9,3,9,11,NULL,1,2,0,1,1,NULL,NULL,'2026-11-17 05:59:47.413000');
INSERT INTO "annotation_sets" VALUES(10,3,10,11,NULL,1,2,0,1,1,NULL,NULL,'2026-11-17 05:59:47.651000');
INSERT INTO "annotation_sets" VALUES(11,3,11,11,NULL,1,2,0,1,1,NULL,NULL,'2026-11-17 05:59:47.651000');
CREATE TABLE annotation_uploads (
	job_id INTEGER NOT NULL, 
	project_id INTEGER NOT NULL, 
	state VARCHAR DEFAULT 'open' NOT NULL, 
	mode VARCHAR NOT NULL, 
	options JSON DEFAULT '{}' NOT NULL, 
	source JSON DEFAULT '{}' NOT NULL, 
	bytes BIGINT DEFAULT 0 NOT NULL, 
	bytes_done BIGINT DEFAULT 0 NOT NULL, 
	batches INTEGER DEFAULT 0 NOT NULL, 
	is_split BOOLEAN DEFAULT 0 NOT NULL, 
	split_claim VARCHAR, 
	split_worker_id VARCHAR, 
	split_attempt INTEGER DEFAULT 0 NOT NULL, 
	documents BIGINT DEFAULT 0 NOT NULL, 
	denotations BIGINT DEFAULT 0 NOT NULL, 
	blocks BIGINT DEFAULT 0 NOT NULL, 
	relations BIGINT DEFAULT 0 NOT NULL, 
	attributes BIGINT DEFAULT 0 NOT NULL, 
	retry_of INTEGER, 
	created_by VARCHAR, 
	CONSTRAINT pk_annotation_uploads PRIMARY KEY (job_id), 
	CONSTRAINT ck_annotation_uploads_state CHECK (state IN ('open', 'suspended', 'completed', 'cancelled', 'rolled_back')), 
	CONSTRAINT fk_annotation_uploads_job_id FOREIGN KEY(job_id) REFERENCES jobs (id) ON DELETE CASCADE, 
	CONSTRAINT fk_annotation_uploads_project_id FOREIGN KEY(project_id) REFERENCES annotation_projects (id)
);
INSERT INTO "annotation_uploads" VALUES(6,1,'completed','extracted','{}','{}',0,0,0,1,NULL,NULL,0,5,122,0,17,296,NULL,NULL);
INSERT INTO "annotation_uploads" VALUES(10,2,'completed','replace','{"mode": "replace", "create_docs": true, "align": "auto", "on_lost": "drop", "batch_items": 20000, "batch_bytes": 4194304}','{"path": "{root}/sites/_clerk/uploads/13e4e6a112e4475493c2c70e1d0ce565/stored", "files": ["done.jsonl"]}',892,892,1,1,NULL,NULL,1,2,4,0,2,2,NULL,'root');
INSERT INTO "annotation_uploads" VALUES(11,3,'open','replace','{"mode": "replace", "create_docs": true, "align": "auto", "on_lost": "drop", "batch_items": 2, "batch_bytes": 4194304}','{"path": "{root}/sites/_clerk/uploads/1ddd0acc78374b568e3c2edef81755cf/stored", "files": ["half.jsonl"]}',3504,1752,4,1,NULL,NULL,1,4,8,0,4,4,NULL,NULL);
CREATE TABLE attributes (
	set_id INTEGER NOT NULL, 
	position INTEGER NOT NULL, 
	id VARCHAR NOT NULL, 
	subj VARCHAR NOT NULL, 
	pred TEXT NOT NULL, 
	value TEXT NOT NULL, 
	CONSTRAINT pk_attributes PRIMARY KEY (set_id, position)
)
 WITHOUT ROWID

;
INSERT INTO "attributes" VALUES(1,0,'A1','T1','value','"2023-01-23"');
INSERT INTO "attributes" VALUES(1,1,'A2','T2','value','"14 Bridge Street"');
INSERT INTO "attributes" VALUES(1,2,'A3','T3','value','"Millbrook Falls Town Council"');
INSERT INTO "attributes" VALUES(1,3,'A4','T4','value','"Margaret Oyelaran"');
INSERT INTO "attributes" VALUES(1,4,'A5','T4','role','"President"');
INSERT INTO "attributes" VALUES(1,5,'A6','T5','value','"Margaret Oyelaran"');
INSERT INTO "attributes" VALUES(1,6,'A7','T5','role','"Council President"');
INSERT INTO "attributes" VALUES(1,7,'A8','T6','value','"Ellen Varga"');
INSERT INTO "attributes" VALUES(1,8,'A9','T6','role','"Town Manager"');
INSERT INTO "attributes" VALUES(1,9,'A10','T7','value','"Ruth Hallenbeck"');
INSERT INTO "attributes" VALUES(1,10,'A11','T7','role','"Town Clerk"');
INSERT INTO "attributes" VALUES(1,11,'A12','T8','value','"Joel"');
INSERT INTO "attributes" VALUES(1,12,'A13','T8','role','"Town Attorney"');
INSERT INTO "attributes" VALUES(1,13,'A14','T9','value','"Brandvold"');
INSERT INTO "attributes" VALUES(1,14,'A15','T9','role','"Councilmember"');
INSERT INTO "attributes" VALUES(1,15,'A16','T10','value','"Ferrante"');
INSERT INTO "attributes" VALUES(1,16,'A17','T10','role','"Councilmember"');
INSERT INTO "attributes" VALUES(1,17,'A18','T11','value','"2023-01-09"');
INSERT INTO "attributes" VALUES(1,18,'A19','T12','value','"88 Gristmill Road"');
INSERT INTO "attributes" VALUES(1,19,'A20','T13','value','"2022-12-17"');
INSERT INTO "attributes" VALUES(1,20,'A21','T14','value','"12 Orchard Lane"');
INSERT INTO "attributes" VALUES(1,21,'A22','T15','value','"418306.72 USD"');
INSERT INTO "attributes" VALUES(1,22,'A23','T16','value','"31 Bridge Street"');
INSERT INTO "attributes" VALUES(1,23,'A24','T17','value','"Library Board of Trustees"');
INSERT INTO "attributes" VALUES(1,24,'A25','T18','value','"Raghunathan"');
INSERT INTO "attributes" VALUES(1,25,'A26','T18','role','"Councilmember"');
INSERT INTO "attributes" VALUES(1,26,'A27','T19','value','"Ferrante"');
INSERT INTO "attributes" VALUES(1,27,'A28','T19','role','"Councilmember"');
INSERT INTO "attributes" VALUES(1,28,'A29','T20','value','"Whitcombe"');
INSERT INTO "attributes" VALUES(1,29,'A30','T20','role','"Councilmember"');
INSERT INTO "attributes" VALUES(1,30,'A31','T21','value','"Whitcombe"');
INSERT INTO "attributes" VALUES(1,31,'A32','T21','role','"Councilmember"');
INSERT INTO "attributes" VALUES(1,32,'A33','T22','value','"Brandvold"');
INSERT INTO "attributes" VALUES(1,33,'A34','T22','role','"Councilmember"');
INSERT INTO "attributes" VALUES(1,34,'A35','T23','value','"Raghunathan"');
INSERT INTO "attributes" VALUES(1,35,'A36','T23','role','"Councilmember"');
INSERT INTO "attributes" VALUES(1,36,'A37','T24','value','"2023-01"');
INSERT INTO "attributes" VALUES(1,37,'A38','T25','value','"2023-01"');
INSERT INTO "attributes" VALUES(1,38,'A39','T26','value','"Varga"');
INSERT INTO "attributes" VALUES(1,39,'A40','T27','value','"62.50 USD"');
INSERT INTO "attributes" VALUES(1,40,'A41','T28','value','"66.25 USD"');
INSERT INTO "attributes" VALUES(1,41,'A42','T29','value','"2023-07-01"');
INSERT INTO "attributes" VALUES(1,42,'A43','T30','motion','"approve the minutes of the regular meeting of January 9, 2023, as printed"');
INSERT INTO "attributes" VALUES(1,43,'A44','T30','mover','"Brandvold"');
INSERT INTO "attributes" VALUES(1,44,'A45','T30','seconder','"Ferrante"');
INSERT INTO "attributes" VALUES(1,45,'A46','T30','result','"passed"');
INSERT INTO "attributes" VALUES(1,46,'A47','T30','result_text','"carried unanimously."');
INSERT INTO "attributes" VALUES(1,47,'A48','T30','vote_type','"unanimous"');
INSERT INTO "attributes" VALUES(1,48,'A49','T30','unanimous','true');
INSERT INTO "attributes" VALUES(1,49,'A50','T30','confidence','0.86');
INSERT INTO "attributes" VALUES(1,50,'A51','T31','motion','"approve items a and c of the consent agenda"');
INSERT INTO "attributes" VALUES(1,51,'A52','T31','mover','"Ferrante"');
INSERT INTO "attributes" VALUES(1,52,'A53','T31','seconder','"Whitcombe"');
INSERT INTO "attributes" VALUES(1,53,'A54','T31','result','"passed"');
INSERT INTO "attributes" VALUES(1,54,'A55','T31','result_text','"carried 5-0."');
INSERT INTO "attributes" VALUES(1,55,'A56','T31','vote_type','"tally"');
INSERT INTO "attributes" VALUES(1,56,'A57','T31','tally','{"yes":5,"no":0}');
INSERT INTO "attributes" VALUES(1,57,'A58','T31','confidence','0.86');
INSERT INTO "attributes" VALUES(1,58,'A59','T32','motion','"approve item b. Councilmember Raghunathan stated that she is a tenant of the building and recused herself"');
INSERT INTO "attributes" VALUES(1,59,'A60','T32','mover','"Whitcombe"');
INSERT INTO "attributes" VALUES(1,60,'A61','T32','seconder','"Brandvold"');
INSERT INTO "attributes" VALUES(1,61,'A62','T32','result','"passed"');
INSERT INTO "attributes" VALUES(1,62,'A63','T32','result_text','"carried 4-0, with one recusal."');
INSERT INTO "attributes" VALUES(1,63,'A64','T32','vote_type','"tally"');
INSERT INTO "attributes" VALUES(1,64,'A65','T32','tally','{"yes":4,"no":0}');
INSERT INTO "attributes" VALUES(1,65,'A66','T32','confidence','0.86');
INSERT INTO "attributes" VALUES(2,0,'A1','T1','value','"184000 USD"');
INSERT INTO "attributes" VALUES(2,1,'A2','T2','value','"205 Cooper''s Hollow Road"');
INSERT INTO "attributes" VALUES(2,2,'A3','T3','value','"Brandvold"');
INSERT INTO "attributes" VALUES(2,3,'A4','T3','role','"Councilmember"');
INSERT INTO "attributes" VALUES(2,4,'A5','T4','value','"Raghunathan"');
INSERT INTO "attributes" VALUES(2,5,'A6','T4','role','"Councilmember"');
INSERT INTO "attributes" VALUES(2,6,'A7','T5','value','"2023-01"');
INSERT INTO "attributes" VALUES(2,7,'A8','T6','value','"Nyquist"');
INSERT INTO "attributes" VALUES(2,8,'A9','T7','value','"236500 USD"');
INSERT INTO "attributes" VALUES(2,9,'A10','T8','value','"Ferrante"');
INSERT INTO "attributes" VALUES(2,10,'A11','T8','role','"Councilmember"');
INSERT INTO "attributes" VALUES(2,11,'A12','T9','value','"Brandvold"');
INSERT INTO "attributes" VALUES(2,12,'A13','T9','role','"Councilmember"');
INSERT INTO "attributes" VALUES(2,13,'A14','T10','value','"2023-04"');
INSERT INTO "attributes" VALUES(2,14,'A15','T11','value','"Whitcombe"');
INSERT INTO "attributes" VALUES(2,15,'A16','T11','role','"Councilmember"');
INSERT INTO "attributes" VALUES(2,16,'A17','T12','value','"2023-04"');
INSERT INTO "attributes" VALUES(2,17,'A18','T13','value','"Raghunathan"');
INSERT INTO "attributes" VALUES(2,18,'A19','T13','role','"Councilmember"');
INSERT INTO "attributes" VALUES(2,19,'A20','T14','value','"Brandvold"');
INSERT INTO "attributes" VALUES(2,20,'A21','T14','role','"Councilmember"');
INSERT INTO "attributes" VALUES(2,21,'A22','T15','value','"Ferrante"');
INSERT INTO "attributes" VALUES(2,22,'A23','T15','role','"Councilmember"');
INSERT INTO "attributes" VALUES(2,23,'A24','T16','value','"Brandvold"');
INSERT INTO "attributes" VALUES(2,24,'A25','T16','role','"Councilmember"');
INSERT INTO "attributes" VALUES(2,25,'A26','T17','value','"Whitcombe"');
INSERT INTO "attributes" VALUES(2,26,'A27','T17','role','"Councilmember"');
INSERT INTO "attributes" VALUES(2,27,'A28','T18','value','"Varga"');
INSERT INTO "attributes" VALUES(2,28,'A29','T19','value','"91740 USD"');
INSERT INTO "attributes" VALUES(2,29,'A30','T20','value','"38200 USD"');
INSERT INTO "attributes" VALUES(2,30,'A31','T21','motion','"adopt Ordinance No. 2023-01"');
INSERT INTO "attributes" VALUES(2,31,'A32','T21','mover','"Brandvold"');
INSERT INTO "attributes" VALUES(2,32,'A33','T21','seconder','"Raghunathan"');
INSERT INTO "attributes" VALUES(2,33,'A34','T21','result','"passed"');
INSERT INTO "attributes" VALUES(2,34,'A35','T21','result_text','"carried by the following vote: AYES: Brandvold, Ferrante, Oyelaran, Raghunathan NOES: Whitcombe ABSENT: None TANNERY FOOTBRIDGE Mr. Nyquist reported on the s..."');
INSERT INTO "attributes" VALUES(2,35,'A36','T21','vote_type','"roll_call"');
INSERT INTO "attributes" VALUES(2,36,'A37','T21','ayes','["Brandvold","Ferrante","Oyelaran","Raghunathan"]');
INSERT INTO "attributes" VALUES(2,37,'A38','T21','noes','["Whitcombe"]');
INSERT INTO "attributes" VALUES(2,38,'A39','T21','tally','{"yes":4,"no":1,"absent":0}');
INSERT INTO "attributes" VALUES(2,39,'A40','T21','confidence','0.92');
INSERT INTO "attributes" VALUES(2,40,'A41','T22','motion','"authorize the Town Manager to apply for a grant from the Small Bridge Program and to sign all papers necessary for it"');
INSERT INTO "attributes" VALUES(2,41,'A42','T22','mover','"Ferrante"');
INSERT INTO "attributes" VALUES(2,42,'A43','T22','seconder','"Brandvold"');
INSERT INTO "attributes" VALUES(2,43,'A44','T22','result','"passed"');
INSERT INTO "attributes" VALUES(2,44,'A45','T22','result_text','"Upon voice vote the motion carried unanimously, 5-0."');
INSERT INTO "attributes" VALUES(2,45,'A46','T22','vote_type','"voice"');
INSERT INTO "attributes" VALUES(2,46,'A47','T22','tally','{"yes":5,"no":0}');
INSERT INTO "attributes" VALUES(2,47,'A48','T22','unanimous','true');
INSERT INTO "attributes" VALUES(2,48,'A49','T22','confidence','0.94');
INSERT INTO "attributes" VALUES(2,49,'A50','T23','motion','"adopt Resolution 2023-04"');
INSERT INTO "attributes" VALUES(2,50,'A51','T23','mover','"Whitcombe"');
INSERT INTO "attributes" VALUES(2,51,'A52','T23','seconder','"Raghunathan"');
INSERT INTO "attributes" VALUES(2,52,'A53','T23','result','"passed"');
INSERT INTO "attributes" VALUES(2,53,'A54','T23','result_text','"The vote was then taken on the main motion, which passed 4-1, Councilmember Brandvold opposed."');
INSERT INTO "attributes" VALUES(2,54,'A55','T23','vote_type','"tally"');
INSERT INTO "attributes" VALUES(2,55,'A56','T23','noes','["Brandvold"]');
INSERT INTO "attributes" VALUES(2,56,'A57','T23','tally','{"yes":4,"no":1}');
INSERT INTO "attributes" VALUES(2,57,'A58','T23','confidence','0.99');
INSERT INTO "attributes" VALUES(2,58,'A59','T24','motion','"amend the resolution by striking out \"two hours\" and inserting \"four hours\""');
INSERT INTO "attributes" VALUES(2,59,'A60','T24','mover','"Brandvold"');
INSERT INTO "attributes" VALUES(2,60,'A61','T24','seconder','"Ferrante"');
INSERT INTO "attributes" VALUES(2,61,'A62','T24','result','"failed"');
INSERT INTO "attributes" VALUES(2,62,'A63','T24','result_text','"The amendment failed 2-3."');
INSERT INTO "attributes" VALUES(2,63,'A64','T24','vote_type','"tally"');
INSERT INTO "attributes" VALUES(2,64,'A65','T24','tally','{"yes":2,"no":3}');
INSERT INTO "attributes" VALUES(2,65,'A66','T24','flags','["amendment"]');
INSERT INTO "attributes" VALUES(2,66,'A67','T24','confidence','0.94');
INSERT INTO "attributes" VALUES(2,67,'A68','T25','motion','"remove the eleven parking meters on Mill Street between Bridge Street and the post office"');
INSERT INTO "attributes" VALUES(2,68,'A69','T25','mover','"Whitcombe"');
INSERT INTO "attributes" VALUES(2,69,'A70','T25','result','"died"');
INSERT INTO "attributes" VALUES(2,70,'A71','T25','result_text','"The motion died for lack of a second"');
INSERT INTO "attributes" VALUES(2,71,'A72','T25','vote_type','"none"');
INSERT INTO "attributes" VALUES(2,72,'A73','T25','flags','["no_second"]');
INSERT INTO "attributes" VALUES(2,73,'A74','T25','confidence','0.84');
INSERT INTO "attributes" VALUES(3,0,'A1','T1','value','"2023-03-13"');
INSERT INTO "attributes" VALUES(3,1,'A2','T2','value','"Ferrante"');
INSERT INTO "attributes" VALUES(3,2,'A3','T2','role','"Councilmember"');
INSERT INTO "attributes" VALUES(3,3,'A4','T3','value','"Brandvold"');
INSERT INTO "attributes" VALUES(3,4,'A5','T3','role','"Councilmember"');
INSERT INTO "attributes" VALUES(3,5,'A6','T4','value','"9 Depot Square"');
INSERT INTO "attributes" VALUES(3,6,'A7','T5','value','"Brandvold"');
INSERT INTO "attributes" VALUES(3,7,'A8','T6','value','"Ferrante"');
INSERT INTO "attributes" VALUES(3,8,'A9','T7','value','"Whitcombe"');
INSERT INTO "attributes" VALUES(3,9,'A10','T8','value','"Raghunathan"');
INSERT INTO "attributes" VALUES(3,10,'A11','T9','value','"Oyelaran"');
INSERT INTO "attributes" VALUES(3,11,'A12','T9','role','"President"');
INSERT INTO "attributes" VALUES(3,12,'A13','T10','value','"Ruth Hallenbeck"');
INSERT INTO "attributes" VALUES(3,13,'A14','T10','role','"Town Clerk"');
INSERT INTO "attributes" VALUES(3,14,'A15','T11','value','"2023-02-13"');
INSERT INTO "attributes" VALUES(3,15,'A16','T12','motion','"enter executive session at 8:46 p.m. to discuss the lease of 9 Depot Square, not to return to open session"');
INSERT INTO "attributes" VALUES(3,16,'A17','T12','mover','"Ferrante"');
INSERT INTO "attributes" VALUES(3,17,'A18','T12','seconder','"Brandvold"');
INSERT INTO "attributes" VALUES(3,18,'A19','T12','result','"passed"');
INSERT INTO "attributes" VALUES(3,19,'A20','T12','result_text','"carried."');
INSERT INTO "attributes" VALUES(3,20,'A21','T12','vote_type','"roll_call"');
INSERT INTO "attributes" VALUES(3,21,'A22','T12','ayes','["Brandvold","Ferrante","Whitcombe","Raghunathan","Oyelaran"]');
INSERT INTO "attributes" VALUES(3,22,'A23','T12','tally','{"yes":5,"no":0}');
INSERT INTO "attributes" VALUES(3,23,'A24','T12','confidence','0.92');
INSERT INTO "attributes" VALUES(4,0,'A1','T1','value','"2024-06-10"');
INSERT INTO "attributes" VALUES(4,1,'A2','T2','value','"Town Council"');
INSERT INTO "attributes" VALUES(4,2,'A3','T3','value','"Lucia Ferrante"');
INSERT INTO "attributes" VALUES(4,3,'A4','T3','role','"President"');
INSERT INTO "attributes" VALUES(4,4,'A5','T4','value','"Priya Raghunathan"');
INSERT INTO "attributes" VALUES(4,5,'A6','T4','role','"Councilmember"');
INSERT INTO "attributes" VALUES(4,6,'A7','T5','value','"2024-05-20"');
INSERT INTO "attributes" VALUES(4,7,'A8','T6','value','"88 Gristmill Road"');
INSERT INTO "attributes" VALUES(4,8,'A9','T7','value','"19 Mill Street"');
INSERT INTO "attributes" VALUES(4,9,'A10','T8','value','"Castellane"');
INSERT INTO "attributes" VALUES(4,10,'A11','T8','role','"Councilmember"');
INSERT INTO "attributes" VALUES(4,11,'A12','T9','value','"611092.15 USD"');
INSERT INTO "attributes" VALUES(4,12,'A13','T10','value','"2024-07"');
INSERT INTO "attributes" VALUES(4,13,'A14','T11','value','"2024-07"');
INSERT INTO "attributes" VALUES(4,14,'A15','T12','value','"75 USD"');
INSERT INTO "attributes" VALUES(4,15,'A16','T13','value','"200 USD"');
INSERT INTO "attributes" VALUES(4,16,'A17','T14','value','"2024-15"');
INSERT INTO "attributes" VALUES(4,17,'A18','T15','value','"2024-15"');
INSERT INTO "attributes" VALUES(4,18,'A19','T16','value','"54300 USD"');
INSERT INTO "attributes" VALUES(4,19,'A20','T17','value','"20187400 USD"');
INSERT INTO "attributes" VALUES(4,20,'A21','T18','value','"Castellane"');
INSERT INTO "attributes" VALUES(4,21,'A22','T18','role','"Councilmember"');
INSERT INTO "attributes" VALUES(4,22,'A23','T19','value','"212000 USD"');
INSERT INTO "attributes" VALUES(4,23,'A24','T20','value','"Nyquist"');
INSERT INTO "attributes" VALUES(4,24,'A25','T21','value','"2024-07-19"');
INSERT INTO "attributes" VALUES(4,25,'A26','T22','value','"Sorrel"');
INSERT INTO "attributes" VALUES(4,26,'A27','T22','role','"Chief"');
INSERT INTO "attributes" VALUES(4,27,'A28','T23','value','"6400 USD"');
INSERT INTO "attributes" VALUES(4,28,'A29','T24','value','"Oyelaran"');
INSERT INTO "attributes" VALUES(4,29,'A30','T24','role','"Councilmember"');
INSERT INTO "attributes" VALUES(4,30,'A31','T25','value','"Brandvold"');
INSERT INTO "attributes" VALUES(4,31,'A32','T25','role','"Councilmember"');
INSERT INTO "attributes" VALUES(4,32,'A33','T26','value','"15 USD"');
INSERT INTO "attributes" VALUES(4,33,'A34','T27','value','"10 USD"');
INSERT INTO "attributes" VALUES(4,34,'A35','T28','value','"Ferrante"');
INSERT INTO "attributes" VALUES(4,35,'A36','T28','role','"President"');
INSERT INTO "attributes" VALUES(4,36,'A37','T29','value','"School Committee"');
INSERT INTO "attributes" VALUES(4,37,'A38','T30','value','"2024-09-04"');
INSERT INTO "attributes" VALUES(4,38,'A39','T31','value','"2024-08-01"');
INSERT INTO "attributes" VALUES(4,39,'A40','T32','value','"Board of Health"');
INSERT INTO "attributes" VALUES(4,40,'A41','T33','value','"60 Mill Street"');
INSERT INTO "attributes" VALUES(4,41,'A42','T34','value','"2024-06-22"');
INSERT INTO "attributes" VALUES(4,42,'A43','T35','value','"12 USD"');
INSERT INTO "attributes" VALUES(4,43,'A44','T36','motion','"approve the minutes of May 20, 2024"');
INSERT INTO "attributes" VALUES(4,44,'A45','T36','mover','"Oyelaran"');
INSERT INTO "attributes" VALUES(4,45,'A46','T36','seconder','"Brandvold"');
INSERT INTO "attributes" VALUES(4,46,'A47','T36','result','"passed"');
INSERT INTO "attributes" VALUES(4,47,'A48','T36','result_text','"carried 4-0."');
INSERT INTO "attributes" VALUES(4,48,'A49','T36','vote_type','"tally"');
INSERT INTO "attributes" VALUES(4,49,'A50','T36','tally','{"yes":4,"no":0}');
INSERT INTO "attributes" VALUES(4,50,'A51','T36','confidence','0.86');
INSERT INTO "attributes" VALUES(4,51,'A52','T37','motion','"approve Warrant No. 24-11 in the amount of $611,092.15"');
INSERT INTO "attributes" VALUES(4,52,'A53','T37','mover','"Brandvold"');
INSERT INTO "attributes" VALUES(4,53,'A54','T37','seconder','"Castellane"');
INSERT INTO "attributes" VALUES(4,54,'A55','T37','result','"passed"');
INSERT INTO "attributes" VALUES(4,55,'A56','T37','result_text','"carried."');
INSERT INTO "attributes" VALUES(4,56,'A57','T37','vote_type','"roll_call"');
INSERT INTO "attributes" VALUES(4,57,'A58','T37','ayes','["Brandvold","Castellane","Ferrante","Oyelaran"]');
INSERT INTO "attributes" VALUES(4,58,'A59','T37','tally','{"yes":4,"no":0}');
INSERT INTO "attributes" VALUES(4,59,'A60','T37','confidence','0.92');
INSERT INTO "attributes" VALUES(4,60,'A61','T38','motion','"adopt the ordinance"');
INSERT INTO "attributes" VALUES(4,61,'A62','T38','mover','"Castellane"');
INSERT INTO "attributes" VALUES(4,62,'A63','T38','seconder','"Oyelaran"');
INSERT INTO "attributes" VALUES(4,63,'A64','T38','result','"unknown"');
INSERT INTO "attributes" VALUES(4,64,'A65','T38','vote_type','"none"');
INSERT INTO "attributes" VALUES(4,65,'A66','T38','confidence','0.7');
INSERT INTO "attributes" VALUES(4,66,'A67','T39','motion','"amend by raising the fee from $75 to $200"');
INSERT INTO "attributes" VALUES(4,67,'A68','T39','mover','"Brandvold"');
INSERT INTO "attributes" VALUES(4,68,'A69','T39','result','"died"');
INSERT INTO "attributes" VALUES(4,69,'A70','T39','result_text','"the motion to amend died for want of a second"');
INSERT INTO "attributes" VALUES(4,70,'A71','T39','vote_type','"none"');
INSERT INTO "attributes" VALUES(4,71,'A72','T39','flags','["no_second"]');
INSERT INTO "attributes" VALUES(4,72,'A73','T39','confidence','0.84');
INSERT INTO "attributes" VALUES(4,73,'A74','T40','motion','"amend so that six feet of the sidewalk stay free at all times"');
INSERT INTO "attributes" VALUES(4,74,'A75','T40','mover','"Oyelaran"');
INSERT INTO "attributes" VALUES(4,75,'A76','T40','seconder','"Castellane"');
INSERT INTO "attributes" VALUES(4,76,'A77','T40','result','"passed"');
INSERT INTO "attributes" VALUES(4,77,'A78','T40','result_text','"amendment carried 4-0."');
INSERT INTO "attributes" VALUES(4,78,'A79','T40','vote_type','"tally"');
INSERT INTO "attributes" VALUES(4,79,'A80','T40','tally','{"yes":4,"no":0}');
INSERT INTO "attributes" VALUES(4,80,'A81','T40','confidence','0.94');
INSERT INTO "attributes" VALUES(4,81,'A82','T41','motion','"sidewalk stay free at all times; amendment carried 4-0"');
INSERT INTO "attributes" VALUES(4,82,'A83','T41','result','"passed"');
INSERT INTO "attributes" VALUES(4,83,'A84','T41','result_text','"carried 3-1."');
INSERT INTO "attributes" VALUES(4,84,'A85','T41','vote_type','"roll_call"');
INSERT INTO "attributes" VALUES(4,85,'A86','T41','ayes','["Castellane","Ferrante","Oyelaran"]');
INSERT INTO "attributes" VALUES(4,86,'A87','T41','noes','["Brandvold"]');
INSERT INTO "attributes" VALUES(4,87,'A88','T41','tally','{"yes":3,"no":1}');
INSERT INTO "attributes" VALUES(4,88,'A89','T41','confidence','0.67');
INSERT INTO "attributes" VALUES(4,89,'A90','T42','motion','"adopt Resolution 2024-15 and to take $54,300 from the capital reserve"');
INSERT INTO "attributes" VALUES(4,90,'A91','T42','mover','"Oyelaran"');
INSERT INTO "attributes" VALUES(4,91,'A92','T42','seconder','"Brandvold"');
INSERT INTO "attributes" VALUES(4,92,'A93','T42','result','"passed"');
INSERT INTO "attributes" VALUES(4,93,'A94','T42','result_text','"Carried unanimously."');
INSERT INTO "attributes" VALUES(4,94,'A95','T42','vote_type','"unanimous"');
INSERT INTO "attributes" VALUES(4,95,'A96','T42','unanimous','true');
INSERT INTO "attributes" VALUES(4,96,'A97','T42','confidence','0.86');
INSERT INTO "attributes" VALUES(4,97,'A98','T43','motion','"adopt the Fiscal Year 2025 budget of $20,187,400"');
INSERT INTO "attributes" VALUES(4,98,'A99','T43','mover','"Brandvold"');
INSERT INTO "attributes" VALUES(4,99,'A100','T43','seconder','"Oyelaran"');
INSERT INTO "attributes" VALUES(4,100,'A101','T43','result','"passed"');
INSERT INTO "attributes" VALUES(4,101,'A102','T43','result_text','"Carried 3-1."');
INSERT INTO "attributes" VALUES(4,102,'A103','T43','vote_type','"roll_call"');
INSERT INTO "attributes" VALUES(4,103,'A104','T43','ayes','["Brandvold","Ferrante","Oyelaran"]');
INSERT INTO "attributes" VALUES(4,104,'A105','T43','noes','["Castellane"]');
INSERT INTO "attributes" VALUES(4,105,'A106','T43','tally','{"yes":3,"no":1}');
INSERT INTO "attributes" VALUES(4,106,'A107','T43','flags','["source_contradiction"]');
INSERT INTO "attributes" VALUES(4,107,'A108','T43','confidence','0.82');
INSERT INTO "attributes" VALUES(4,108,'A109','T44','motion','"spend not more than $6,400 on eight band concerts at Tannery Park"');
INSERT INTO "attributes" VALUES(4,109,'A110','T44','mover','"Castellane"');
INSERT INTO "attributes" VALUES(4,110,'A111','T44','seconder','"Brandvold"');
INSERT INTO "attributes" VALUES(4,111,'A112','T44','result','"passed"');
INSERT INTO "attributes" VALUES(4,112,'A113','T44','result_text','"carried 4-0."');
INSERT INTO "attributes" VALUES(4,113,'A114','T44','vote_type','"tally"');
INSERT INTO "attributes" VALUES(4,114,'A115','T44','tally','{"yes":4,"no":0}');
INSERT INTO "attributes" VALUES(4,115,'A116','T44','confidence','0.86');
INSERT INTO "attributes" VALUES(5,0,'A1','T1','value','"Town Council"');
INSERT INTO "attributes" VALUES(5,1,'A2','T2','value','"2024-06-10"');
INSERT INTO "attributes" VALUES(5,2,'A3','T3','value','"2024-07-01"');
INSERT INTO "attributes" VALUES(5,3,'A4','T4','value','"Recreation Department"');
INSERT INTO "attributes" VALUES(5,4,'A5','T5','value','"18.50 USD"');
INSERT INTO "attributes" VALUES(5,5,'A6','T6','value','"Department of Public Works"');
INSERT INTO "attributes" VALUES(5,6,'A7','T7','value','"2024-06-17"');
INSERT INTO "attributes" VALUES(5,7,'A8','T8','value','"Ruth Hallenbeck"');
INSERT INTO "attributes" VALUES(5,8,'A9','T8','role','"Town Clerk"');
INSERT INTO "attributes" VALUES(5,9,'A10','T9','motion','"adjourn at 9:02 p.m"');
INSERT INTO "attributes" VALUES(5,10,'A11','T9','mover','"Brandvold"');
INSERT INTO "attributes" VALUES(5,11,'A12','T9','seconder','"Castellane"');
INSERT INTO "attributes" VALUES(5,12,'A13','T9','result','"passed"');
INSERT INTO "attributes" VALUES(5,13,'A14','T9','result_text','"Motion carried."');
INSERT INTO "attributes" VALUES(5,14,'A15','T9','vote_type','"unspecified"');
INSERT INTO "attributes" VALUES(5,15,'A16','T9','confidence','0.94');
INSERT INTO "attributes" VALUES(6,0,'A1','T2','sure','true');
INSERT INTO "attributes" VALUES(7,0,'A1','T2','sure','true');
INSERT INTO "attributes" VALUES(8,0,'A1','T2','sure','true');
INSERT INTO "attributes" VALUES(9,0,'A1','T2','sure','true');
INSERT INTO "attributes" VALUES(10,0,'A1','T2','sure','true');
INSERT INTO "attributes" VALUES(11,0,'A1','T2','sure','true');
CREATE TABLE audit (
	id INTEGER NOT NULL, 
	at DATETIME DEFAULT (strftime('%Y-%m-%d %H:%M:%f', 'now') || '000') NOT NULL, 
	who VARCHAR NOT NULL, 
	action VARCHAR NOT NULL, 
	subject VARCHAR, 
	detail TEXT, 
	CONSTRAINT pk_audit PRIMARY KEY (id)
);
INSERT INTO "audit" VALUES(1,'2026-11-17 05:59:43.307000','root','annotations uploaded','reviewed','upload 10');
INSERT INTO "audit" VALUES(2,'2026-11-17 05:59:46.093000','clerk','annotations uploaded','half','upload 11');
INSERT INTO "audit" VALUES(3,'2026-11-17 05:59:54.358000','root','queue paused','annotations',NULL);
INSERT INTO "audit" VALUES(4,'2026-11-17 05:59:54.593000','ann','token made','reports','viewer');
CREATE TABLE batch_failures (
	stage VARCHAR NOT NULL, 
	sourcedb VARCHAR NOT NULL, 
	sourceid VARCHAR NOT NULL, 
	failed INTEGER DEFAULT 0 NOT NULL, 
	crashed INTEGER DEFAULT 0 NOT NULL, 
	alone INTEGER DEFAULT 0 NOT NULL, 
	last_at DATETIME NOT NULL, 
	error TEXT, 
	CONSTRAINT pk_batch_failures PRIMARY KEY (stage, sourcedb, sourceid)
);
CREATE TABLE batch_history (
	hour DATETIME NOT NULL, 
	stage VARCHAR NOT NULL, 
	completed INTEGER DEFAULT 0 NOT NULL, 
	failed INTEGER DEFAULT 0 NOT NULL, 
	crashed INTEGER DEFAULT 0 NOT NULL, 
	split INTEGER DEFAULT 0 NOT NULL, 
	seconds FLOAT DEFAULT 0 NOT NULL, 
	longest_seconds FLOAT DEFAULT 0 NOT NULL, 
	durations JSON DEFAULT '{}' NOT NULL, 
	CONSTRAINT pk_batch_history PRIMARY KEY (hour, stage)
);
CREATE TABLE batch_job_trackings (
	id INTEGER NOT NULL, 
	parent_job_id INTEGER NOT NULL, 
	child_job_id VARCHAR, 
	status VARCHAR DEFAULT 'pending' NOT NULL, 
	doc_identifiers JSON DEFAULT '[]' NOT NULL, 
	item_count INTEGER NOT NULL, 
	error_message TEXT, 
	started_at DATETIME, 
	completed_at DATETIME, 
	created_at DATETIME DEFAULT (strftime('%Y-%m-%d %H:%M:%f', 'now') || '000') NOT NULL, 
	updated_at DATETIME DEFAULT (strftime('%Y-%m-%d %H:%M:%f', 'now') || '000') NOT NULL, 
	claim VARCHAR, 
	attempt INTEGER DEFAULT 0 NOT NULL, 
	worker_id VARCHAR, 
	current_item VARCHAR, 
	parent_batch_id INTEGER, 
	payload JSON, 
	bytes BIGINT DEFAULT 0 NOT NULL, 
	errors INTEGER DEFAULT 0 NOT NULL, 
	crashes INTEGER DEFAULT 0 NOT NULL, 
	available_at DATETIME DEFAULT (strftime('%Y-%m-%d %H:%M:%f', 'now') || '000') NOT NULL, 
	CONSTRAINT pk_batch_job_trackings PRIMARY KEY (id), 
	CONSTRAINT ck_batch_job_trackings_status CHECK (status IN ('pending', 'running', 'completed', 'failed', 'crashed', 'split')), 
	CONSTRAINT ck_batch_job_trackings_item_count CHECK (item_count > 0), 
	CONSTRAINT fk_batch_job_trackings_parent_batch_id FOREIGN KEY(parent_batch_id) REFERENCES batch_job_trackings (id) ON DELETE SET NULL, 
	CONSTRAINT fk_batch_job_trackings_parent_job_id FOREIGN KEY(parent_job_id) REFERENCES jobs (id) ON DELETE CASCADE, 
	CONSTRAINT uq_batch_job_trackings_claim UNIQUE (claim)
);
INSERT INTO "batch_job_trackings" VALUES(1,1,'3726fe51f7d84abd9b006d91df892b4b','completed','[{"sourcedb": "springfield", "sourceid": "fetch"}]',1,NULL,'2026-11-17 05:59:32.385000','2026-11-17 05:59:34.155000','2026-11-17 05:59:32.385000','2026-11-17 05:59:34.155000','3726fe51f7d84abd9b006d91df892b4b',1,'townhall-13874-915230ef',NULL,NULL,NULL,0,0,0,'2026-11-17 05:59:32.385000');
INSERT INTO "batch_job_trackings" VALUES(2,2,'23c44c3491ca4758945696e9885c75fa','completed','[{"sourcedb": "springfield", "sourceid": "minutes/Council/2023-01-23"}]',1,NULL,'2026-11-17 05:59:34.344000','2026-11-17 05:59:34.504000','2026-11-17 05:59:34.344000','2026-11-17 05:59:34.504000','23c44c3491ca4758945696e9885c75fa',1,'townhall-13874-915230ef',NULL,NULL,NULL,0,0,0,'2026-11-17 05:59:34.344000');
INSERT INTO "batch_job_trackings" VALUES(3,2,'a1d53f43437445b29e897de5b87c0f6d','crashed','[{"sourcedb": "springfield", "sourceid": "minutes/Council/2024-06-10"}, {"sourcedb": "springfield", "sourceid": "minutes/School/2023-10-17"}]',2,'The working process was killed by SIGKILL','2026-11-17 05:59:34.506000','2026-11-17 05:59:34.775000','2026-11-17 05:59:34.506000','2026-11-17 05:59:34.775000','a1d53f43437445b29e897de5b87c0f6d',1,'townhall-13874-915230ef',NULL,NULL,NULL,0,0,0,'2026-11-17 05:59:34.506000');
INSERT INTO "batch_job_trackings" VALUES(4,2,'9c865e8709c94fdc9c00201be9ff9157','crashed','[{"sourcedb": "springfield", "sourceid": "minutes/School/2023-10-17"}]',1,'The working process was killed by SIGKILL','2026-11-17 05:59:34.911000','2026-11-17 05:59:35.047000','2026-11-17 05:59:34.911000','2026-11-17 05:59:35.047000','9c865e8709c94fdc9c00201be9ff9157',1,'townhall-13874-915230ef',NULL,NULL,NULL,0,0,0,'2026-11-17 05:59:34.911000');
INSERT INTO "batch_job_trackings" VALUES(5,3,'2fab849cd80f4fcaaedd923338515093','completed','[{"sourcedb": "springfield", "sourceid": "coordinator"}]',1,NULL,'2026-11-17 05:59:35.196000','2026-11-17 05:59:35.395000','2026-11-17 05:59:35.196000','2026-11-17 05:59:35.395000','2fab849cd80f4fcaaedd923338515093',1,'townhall-13874-915230ef',NULL,NULL,NULL,0,0,0,'2026-11-17 05:59:35.196000');
INSERT INTO "batch_job_trackings" VALUES(6,4,'ac1c67c1dfb547de947f95f535a0cba9','completed','[{"sourcedb": "springfield", "sourceid": "compile"}]',1,NULL,'2026-11-17 05:59:35.434000','2026-11-17 05:59:36.398000','2026-11-17 05:59:35.434000','2026-11-17 05:59:36.398000','ac1c67c1dfb547de947f95f535a0cba9',1,'townhall-13874-915230ef',NULL,NULL,NULL,0,0,0,'2026-11-17 05:59:35.434000');
INSERT INTO "batch_job_trackings" VALUES(7,5,'5a4a6170007e452eb25e16781255d3a4','completed','[{"sourcedb": "springfield", "sourceid": "extract"}]',1,NULL,'2026-11-17 05:59:36.408000','2026-11-17 05:59:37.629000','2026-11-17 05:59:36.408000','2026-11-17 05:59:37.629000','5a4a6170007e452eb25e16781255d3a4',1,'townhall-13874-915230ef',NULL,NULL,NULL,0,0,0,'2026-11-17 05:59:36.408000');
INSERT INTO "batch_job_trackings" VALUES(8,7,'3b9ea46308754976b48a82d6ad58312d','completed','[{"sourcedb": "springfield", "sourceid": "deploy"}]',1,NULL,'2026-11-17 05:59:37.677000','2026-11-17 05:59:37.772000','2026-11-17 05:59:37.677000','2026-11-17 05:59:37.772000','3b9ea46308754976b48a82d6ad58312d',1,'townhall-13874-915230ef',NULL,NULL,NULL,0,0,0,'2026-11-17 05:59:37.677000');
INSERT INTO "batch_job_trackings" VALUES(9,8,'a2e97f87eaea4ad281ebe22aa74cab83','completed','[{"sourcedb": "shelbyville", "sourceid": "fetch"}]',1,NULL,'2026-11-17 05:59:38.538000','2026-11-17 05:59:39.608000','2026-11-17 05:59:38.538000','2026-11-17 05:59:39.608000','a2e97f87eaea4ad281ebe22aa74cab83',1,'townhall-14016-3c9425d1',NULL,NULL,NULL,0,0,0,'2026-11-17 05:59:38.538000');
INSERT INTO "batch_job_trackings" VALUES(10,9,'b0bab74d80c641659683d2c2b4f38b01','completed','[{"sourcedb": "shelbyville", "sourceid": "minutes/Council/2023-04-05"}]',1,NULL,'2026-11-17 05:59:39.710000','2026-11-17 05:59:39.793000','2026-11-17 05:59:39.710000','2026-11-17 05:59:39.793000','b0bab74d80c641659683d2c2b4f38b01',1,'townhall-14016-3c9425d1',NULL,NULL,NULL,0,0,0,'2026-11-17 05:59:39.710000');
INSERT INTO "batch_job_trackings" VALUES(11,9,'38fcecc0d7c7476f86621fb6fb213d00','crashed','[{"sourcedb": "shelbyville", "sourceid": "minutes/Council/2023-09-20"}, {"sourcedb": "shelbyville", "sourceid": "minutes/Council/2024-05-21"}]',2,'The worker died','2026-11-17 05:59:39.804000','2026-11-17 05:59:46.409000','2026-11-17 05:59:39.804000','2026-11-17 05:59:46.409000','38fcecc0d7c7476f86621fb6fb213d00',1,'townhall-14016-3c9425d1',NULL,NULL,NULL,0,0,0,'2026-11-17 05:59:39.804000');
INSERT INTO "batch_job_trackings" VALUES(12,10,'b411cb6a24ca427c99e86665e5df54dc','completed','[{"sourcedb": "springfield", "sourceid": "minutes/101"}, {"sourcedb": "springfield", "sourceid": "minutes/102"}]',3,NULL,'2026-11-17 05:59:44.737000','2026-11-17 05:59:44.881000','2026-11-17 05:59:44.600000','2026-11-17 05:59:44.881000','b411cb6a24ca427c99e86665e5df54dc',1,'townhall-14059-1440282a',NULL,NULL,'{"ranges": [[0, 0, 892, 1]], "issues": [], "name": "springfield:minutes/101, springfield:minutes/102", "documents": 2}',892,0,0,'2026-11-17 05:59:44.600000');
INSERT INTO "batch_job_trackings" VALUES(13,11,'adbf890b30224a3fa9b98766286f487c','completed','[{"sourcedb": "springfield", "sourceid": "minutes/1"}, {"sourcedb": "springfield", "sourceid": "minutes/2"}]',2,NULL,'2026-11-17 05:59:47.146000','2026-11-17 05:59:47.472000','2026-11-17 05:59:46.993000','2026-11-17 05:59:47.472000','adbf890b30224a3fa9b98766286f487c',1,'townhall-14176-a4d1c507',NULL,NULL,'{"ranges": [[0, 0, 876, 1]], "issues": [], "name": "springfield:minutes/1, springfield:minutes/2", "documents": 2}',876,0,0,'2026-11-17 05:59:46.993000');
INSERT INTO "batch_job_trackings" VALUES(14,11,'23cfd5f91a5f42a4af3b4bb20b8fbda9','completed','[{"sourcedb": "springfield", "sourceid": "minutes/3"}, {"sourcedb": "springfield", "sourceid": "minutes/4"}]',2,NULL,'2026-11-17 05:59:47.585000','2026-11-17 05:59:47.659000','2026-11-17 05:59:46.993000','2026-11-17 05:59:47.659000','23cfd5f91a5f42a4af3b4bb20b8fbda9',1,'townhall-14176-a4d1c507',NULL,NULL,'{"ranges": [[0, 876, 1752, 3]], "issues": [], "name": "springfield:minutes/3, springfield:minutes/4", "documents": 2}',876,0,0,'2026-11-17 05:59:46.993000');
INSERT INTO "batch_job_trackings" VALUES(15,11,'46e1a4fb20f84138b575ae87e8393b56','running','[{"sourcedb": "springfield", "sourceid": "minutes/5"}, {"sourcedb": "springfield", "sourceid": "minutes/6"}]',2,NULL,'2026-11-17 05:59:47.720000',NULL,'2026-11-17 05:59:46.993000','2026-11-17 05:59:47.720000','46e1a4fb20f84138b575ae87e8393b56',1,'townhall-14176-a4d1c507','',NULL,'{"ranges": [[0, 1752, 2628, 5]], "issues": [], "name": "springfield:minutes/5, springfield:minutes/6", "documents": 2}',876,0,0,'2026-11-17 05:59:46.993000');
INSERT INTO "batch_job_trackings" VALUES(16,11,NULL,'pending','[{"sourcedb": "springfield", "sourceid": "minutes/7"}, {"sourcedb": "springfield", "sourceid": "minutes/8"}]',2,NULL,NULL,NULL,'2026-11-17 05:59:46.993000','2026-11-17 05:59:46.993000',NULL,0,NULL,NULL,NULL,'{"ranges": [[0, 2628, 3504, 7]], "issues": [], "name": "springfield:minutes/7, springfield:minutes/8", "documents": 2}',876,0,0,'2026-11-17 05:59:46.993000');
CREATE TABLE blocks (
	set_id INTEGER NOT NULL, 
	position INTEGER NOT NULL, 
	id VARCHAR NOT NULL, 
	span_begin INTEGER NOT NULL, 
	span_end INTEGER NOT NULL, 
	pieces TEXT, 
	obj TEXT NOT NULL, 
	value TEXT, 
	CONSTRAINT pk_blocks PRIMARY KEY (set_id, position)
)
 WITHOUT ROWID

;
CREATE TABLE denotations (
	set_id INTEGER NOT NULL, 
	position INTEGER NOT NULL, 
	id VARCHAR NOT NULL, 
	span_begin INTEGER NOT NULL, 
	span_end INTEGER NOT NULL, 
	pieces TEXT, 
	obj TEXT NOT NULL, 
	value TEXT, 
	CONSTRAINT pk_denotations PRIMARY KEY (set_id, position)
)
 WITHOUT ROWID

;
INSERT INTO "denotations" VALUES(1,0,'T1',71,87,NULL,'Date',NULL);
INSERT INTO "denotations" VALUES(1,1,'T2',116,132,NULL,'Address',NULL);
INSERT INTO "denotations" VALUES(1,2,'T3',160,188,NULL,'Body',NULL);
INSERT INTO "denotations" VALUES(1,3,'T4',233,260,NULL,'Person',NULL);
INSERT INTO "denotations" VALUES(1,4,'T5',315,350,NULL,'Person',NULL);
INSERT INTO "denotations" VALUES(1,5,'T6',467,491,NULL,'Person',NULL);
INSERT INTO "denotations" VALUES(1,6,'T7',493,519,NULL,'Person',NULL);
INSERT INTO "denotations" VALUES(1,7,'T8',521,539,NULL,'Person',NULL);
INSERT INTO "denotations" VALUES(1,8,'T9',632,655,NULL,'Person',NULL);
INSERT INTO "denotations" VALUES(1,9,'T10',672,694,NULL,'Person',NULL);
INSERT INTO "denotations" VALUES(1,10,'T11',744,759,NULL,'Date',NULL);
INSERT INTO "denotations" VALUES(1,11,'T12',838,855,NULL,'Address',NULL);
INSERT INTO "denotations" VALUES(1,12,'T13',945,962,NULL,'Date',NULL);
INSERT INTO "denotations" VALUES(1,13,'T14',1101,1116,NULL,'Address',NULL);
INSERT INTO "denotations" VALUES(1,14,'T15',1356,1367,NULL,'Money',NULL);
INSERT INTO "denotations" VALUES(1,15,'T16',1435,1451,NULL,'Address',NULL);
INSERT INTO "denotations" VALUES(1,16,'T17',1497,1522,NULL,'Body',NULL);
INSERT INTO "denotations" VALUES(1,17,'T18',1550,1575,NULL,'Person',NULL);
INSERT INTO "denotations" VALUES(1,18,'T19',1639,1661,NULL,'Person',NULL);
INSERT INTO "denotations" VALUES(1,19,'T20',1675,1698,NULL,'Person',NULL);
INSERT INTO "denotations" VALUES(1,20,'T21',1778,1801,NULL,'Person',NULL);
INSERT INTO "denotations" VALUES(1,21,'T22',1815,1838,NULL,'Person',NULL);
INSERT INTO "denotations" VALUES(1,22,'T23',1859,1884,NULL,'Person',NULL);
INSERT INTO "denotations" VALUES(1,23,'T24',1988,2009,NULL,'Ordinance',NULL);
INSERT INTO "denotations" VALUES(1,24,'T25',2062,2083,NULL,'Ordinance',NULL);
INSERT INTO "denotations" VALUES(1,25,'T26',2160,2169,NULL,'Person',NULL);
INSERT INTO "denotations" VALUES(1,26,'T27',2228,2234,NULL,'Money',NULL);
INSERT INTO "denotations" VALUES(1,27,'T28',2238,2244,NULL,'Money',NULL);
INSERT INTO "denotations" VALUES(1,28,'T29',2248,2260,NULL,'Date',NULL);
INSERT INTO "denotations" VALUES(1,29,'T30',611,804,NULL,'Vote',NULL);
INSERT INTO "denotations" VALUES(1,30,'T31',1629,1767,NULL,'Vote',NULL);
INSERT INTO "denotations" VALUES(1,31,'T32',1768,1987,NULL,'Vote',NULL);
INSERT INTO "denotations" VALUES(2,0,'T1',47,55,NULL,'Money',NULL);
INSERT INTO "denotations" VALUES(2,1,'T2',118,142,NULL,'Address',NULL);
INSERT INTO "denotations" VALUES(2,2,'T3',427,450,NULL,'Person',NULL);
INSERT INTO "denotations" VALUES(2,3,'T4',467,492,NULL,'Person',NULL);
INSERT INTO "denotations" VALUES(2,4,'T5',502,523,NULL,'Ordinance',NULL);
INSERT INTO "denotations" VALUES(2,5,'T6',664,675,NULL,'Person',NULL);
INSERT INTO "denotations" VALUES(2,6,'T7',1029,1037,NULL,'Money',NULL);
INSERT INTO "denotations" VALUES(2,7,'T8',1082,1104,NULL,'Person',NULL);
INSERT INTO "denotations" VALUES(2,8,'T9',1233,1256,NULL,'Person',NULL);
INSERT INTO "denotations" VALUES(2,9,'T10',1331,1349,NULL,'Resolution',NULL);
INSERT INTO "denotations" VALUES(2,10,'T11',1787,1810,NULL,'Person',NULL);
INSERT INTO "denotations" VALUES(2,11,'T12',1826,1844,NULL,'Resolution',NULL);
INSERT INTO "denotations" VALUES(2,12,'T13',1846,1871,NULL,'Person',NULL);
INSERT INTO "denotations" VALUES(2,13,'T14',1882,1905,NULL,'Person',NULL);
INSERT INTO "denotations" VALUES(2,14,'T15',2027,2049,NULL,'Person',NULL);
INSERT INTO "denotations" VALUES(2,15,'T16',2139,2162,NULL,'Person',NULL);
INSERT INTO "denotations" VALUES(2,16,'T17',2202,2225,NULL,'Person',NULL);
INSERT INTO "denotations" VALUES(2,17,'T18',2386,2395,NULL,'Person',NULL);
INSERT INTO "denotations" VALUES(2,18,'T19',2538,2545,NULL,'Money',NULL);
INSERT INTO "denotations" VALUES(2,19,'T20',2601,2608,NULL,'Money',NULL);
INSERT INTO "denotations" VALUES(2,20,'T21',406,703,NULL,'Vote',NULL);
INSERT INTO "denotations" VALUES(2,21,'T22',1082,1330,NULL,'Vote',NULL);
INSERT INTO "denotations" VALUES(2,22,'T23',1787,2171,NULL,'Vote',NULL);
INSERT INTO "denotations" VALUES(2,23,'T24',1882,2076,NULL,'Vote',NULL);
INSERT INTO "denotations" VALUES(2,24,'T25',2202,2363,NULL,'Vote',NULL);
INSERT INTO "denotations" VALUES(3,0,'T1',3,17,NULL,'Date',NULL);
INSERT INTO "denotations" VALUES(3,1,'T2',47,69,NULL,'Person',NULL);
INSERT INTO "denotations" VALUES(3,2,'T3',83,106,NULL,'Person',NULL);
INSERT INTO "denotations" VALUES(3,3,'T4',172,186,NULL,'Address',NULL);
INSERT INTO "denotations" VALUES(3,4,'T5',230,243,NULL,'Person',NULL);
INSERT INTO "denotations" VALUES(3,5,'T6',250,262,NULL,'Person',NULL);
INSERT INTO "denotations" VALUES(3,6,'T7',269,282,NULL,'Person',NULL);
INSERT INTO "denotations" VALUES(3,7,'T8',289,304,NULL,'Person',NULL);
INSERT INTO "denotations" VALUES(3,8,'T9',311,329,NULL,'Person',NULL);
INSERT INTO "denotations" VALUES(3,9,'T10',427,454,NULL,'Person',NULL);
INSERT INTO "denotations" VALUES(3,10,'T11',464,481,NULL,'Date',NULL);
INSERT INTO "denotations" VALUES(3,11,'T12',37,351,NULL,'Vote',NULL);
INSERT INTO "denotations" VALUES(4,0,'T1',74,87,NULL,'Date',NULL);
INSERT INTO "denotations" VALUES(4,1,'T2',144,156,NULL,'Body',NULL);
INSERT INTO "denotations" VALUES(4,2,'T3',202,226,NULL,'Person',NULL);
INSERT INTO "denotations" VALUES(4,3,'T4',309,340,NULL,'Person',NULL);
INSERT INTO "denotations" VALUES(4,4,'T5',418,430,NULL,'Date',NULL);
INSERT INTO "denotations" VALUES(4,5,'T6',485,502,NULL,'Address',NULL);
INSERT INTO "denotations" VALUES(4,6,'T7',717,731,NULL,'Address',NULL);
INSERT INTO "denotations" VALUES(4,7,'T8',866,890,NULL,'Person',NULL);
INSERT INTO "denotations" VALUES(4,8,'T9',1006,1017,NULL,'Money',NULL);
INSERT INTO "denotations" VALUES(4,9,'T10',1096,1113,NULL,'Ordinance',NULL);
INSERT INTO "denotations" VALUES(4,10,'T11',1129,1150,NULL,'Ordinance',NULL);
INSERT INTO "denotations" VALUES(4,11,'T12',1362,1365,NULL,'Money',NULL);
INSERT INTO "denotations" VALUES(4,12,'T13',1369,1373,NULL,'Money',NULL);
INSERT INTO "denotations" VALUES(4,13,'T14',1658,1676,NULL,'Resolution',NULL);
INSERT INTO "denotations" VALUES(4,14,'T15',1968,1986,NULL,'Resolution',NULL);
INSERT INTO "denotations" VALUES(4,15,'T16',1999,2006,NULL,'Money',NULL);
INSERT INTO "denotations" VALUES(4,16,'T17',2143,2154,NULL,'Money',NULL);
INSERT INTO "denotations" VALUES(4,17,'T18',2156,2180,NULL,'Person',NULL);
INSERT INTO "denotations" VALUES(4,18,'T19',2233,2241,NULL,'Money',NULL);
INSERT INTO "denotations" VALUES(4,19,'T20',2417,2428,NULL,'Person',NULL);
INSERT INTO "denotations" VALUES(4,20,'T21',2543,2556,NULL,'Date',NULL);
INSERT INTO "denotations" VALUES(4,21,'T22',2650,2662,NULL,'Person',NULL);
INSERT INTO "denotations" VALUES(4,22,'T23',2760,2766,NULL,'Money',NULL);
INSERT INTO "denotations" VALUES(4,23,'T24',2844,2866,NULL,'Person',NULL);
INSERT INTO "denotations" VALUES(4,24,'T25',2938,2961,NULL,'Person',NULL);
INSERT INTO "denotations" VALUES(4,25,'T26',3031,3034,NULL,'Money',NULL);
INSERT INTO "denotations" VALUES(4,26,'T27',3039,3042,NULL,'Money',NULL);
INSERT INTO "denotations" VALUES(4,27,'T28',3077,3095,NULL,'Person',NULL);
INSERT INTO "denotations" VALUES(4,28,'T29',3133,3149,NULL,'Body',NULL);
INSERT INTO "denotations" VALUES(4,29,'T30',3199,3216,NULL,'Date',NULL);
INSERT INTO "denotations" VALUES(4,30,'T31',3347,3361,NULL,'Date',NULL);
INSERT INTO "denotations" VALUES(4,31,'T32',3367,3382,NULL,'Body',NULL);
INSERT INTO "denotations" VALUES(4,32,'T33',3430,3444,NULL,'Address',NULL);
INSERT INTO "denotations" VALUES(4,33,'T34',3459,3472,NULL,'Date',NULL);
INSERT INTO "denotations" VALUES(4,34,'T35',3512,3515,NULL,'Money',NULL);
INSERT INTO "denotations" VALUES(4,35,'T36',350,451,NULL,'Vote',NULL);
INSERT INTO "denotations" VALUES(4,36,'T37',916,1095,NULL,'Vote',NULL);
INSERT INTO "denotations" VALUES(4,37,'T38',1243,1309,NULL,'Vote',NULL);
INSERT INTO "denotations" VALUES(4,38,'T39',1310,1421,NULL,'Vote',NULL);
INSERT INTO "denotations" VALUES(4,39,'T40',1422,1553,NULL,'Vote',NULL);
INSERT INTO "denotations" VALUES(4,40,'T41',1554,1657,NULL,'Vote',NULL);
INSERT INTO "denotations" VALUES(4,41,'T42',1917,2053,NULL,'Vote',NULL);
INSERT INTO "denotations" VALUES(4,42,'T43',2061,2403,NULL,'Vote',NULL);
INSERT INTO "denotations" VALUES(4,43,'T44',2693,2826,NULL,'Vote',NULL);
INSERT INTO "denotations" VALUES(5,0,'T1',0,12,NULL,'Body',NULL);
INSERT INTO "denotations" VALUES(5,1,'T2',14,27,NULL,'Date',NULL);
INSERT INTO "denotations" VALUES(5,2,'T3',109,121,NULL,'Date',NULL);
INSERT INTO "denotations" VALUES(5,3,'T4',272,293,NULL,'Body',NULL);
INSERT INTO "denotations" VALUES(5,4,'T5',356,362,NULL,'Money',NULL);
INSERT INTO "denotations" VALUES(5,5,'T6',376,402,NULL,'Body',NULL);
INSERT INTO "denotations" VALUES(5,6,'T7',438,451,NULL,'Date',NULL);
INSERT INTO "denotations" VALUES(5,7,'T8',755,782,NULL,'Person',NULL);
INSERT INTO "denotations" VALUES(5,8,'T9',663,746,NULL,'Vote',NULL);
INSERT INTO "denotations" VALUES(6,0,'T1',0,3,NULL,'Word',NULL);
INSERT INTO "denotations" VALUES(6,1,'T2',4,9,NULL,'Person',NULL);
INSERT INTO "denotations" VALUES(7,0,'T1',0,3,NULL,'Word',NULL);
INSERT INTO "denotations" VALUES(7,1,'T2',4,9,NULL,'Person',NULL);
INSERT INTO "denotations" VALUES(8,0,'T1',0,3,NULL,'Word',NULL);
INSERT INTO "denotations" VALUES(8,1,'T2',4,9,NULL,'Person',NULL);
INSERT INTO "denotations" VALUES(9,0,'T1',0,3,NULL,'Word',NULL);
INSERT INTO "denotations" VALUES(9,1,'T2',4,9,NULL,'Person',NULL);
INSERT INTO "denotations" VALUES(10,0,'T1',0,3,NULL,'Word',NULL);
INSERT INTO "denotations" VALUES(10,1,'T2',4,9,NULL,'Person',NULL);
INSERT INTO "denotations" VALUES(11,0,'T1',0,3,NULL,'Word',NULL);
INSERT INTO "denotations" VALUES(11,1,'T2',4,9,NULL,'Person',NULL);
CREATE TABLE items (
	id INTEGER NOT NULL, 
	job_id INTEGER NOT NULL, 
	run_id VARCHAR NOT NULL, 
	step VARCHAR NOT NULL, 
	document VARCHAR, 
	documents INTEGER DEFAULT 1 NOT NULL, 
	state VARCHAR DEFAULT 'pending' NOT NULL, 
	attempt INTEGER DEFAULT 0 NOT NULL, 
	errors INTEGER DEFAULT 0 NOT NULL, 
	crashes INTEGER DEFAULT 0 NOT NULL, 
	lost INTEGER DEFAULT 0 NOT NULL, 
	alone BOOLEAN DEFAULT 0 NOT NULL, 
	claim VARCHAR, 
	available_at DATETIME, 
	bytes BIGINT, 
	sha256 VARCHAR, 
	pages INTEGER, 
	error TEXT, 
	created_at DATETIME DEFAULT (strftime('%Y-%m-%d %H:%M:%f', 'now') || '000') NOT NULL, 
	finished_at DATETIME, 
	CONSTRAINT pk_items PRIMARY KEY (id), 
	CONSTRAINT ck_items_state CHECK (state IN ('pending', 'running', 'completed', 'failed', 'quarantined', 'cancelled')), 
	CONSTRAINT fk_items_job_id FOREIGN KEY(job_id) REFERENCES jobs (id) ON DELETE CASCADE, 
	CONSTRAINT fk_items_run_id FOREIGN KEY(run_id) REFERENCES runs (run_id) ON DELETE CASCADE, 
	CONSTRAINT uq_items_job_id_document UNIQUE (job_id, document)
);
INSERT INTO "items" VALUES(1,1,'springfield-91ed01151cd0','fetch',NULL,1,'completed',1,0,0,0,0,'3726fe51f7d84abd9b006d91df892b4b','2026-11-17 05:59:31.853000',NULL,NULL,NULL,NULL,'2026-11-17 05:59:31.853000','2026-11-17 05:59:34.110000');
INSERT INTO "items" VALUES(2,2,'springfield-91ed01151cd0','document','minutes/Council/2023-01-23',1,'completed',1,0,0,0,0,'23c44c3491ca4758945696e9885c75fa','2026-11-17 05:59:34.245000',6109,'46d86b432ee00da3a6950864bc28dbc1334cb48ce8b7ca8712fb6ba66c44d80d',3,NULL,'2026-11-17 05:59:34.245000','2026-11-17 05:59:34.503000');
INSERT INTO "items" VALUES(3,2,'springfield-91ed01151cd0','document','minutes/Council/2024-06-10',1,'completed',1,0,0,0,0,'a1d53f43437445b29e897de5b87c0f6d','2026-11-17 05:59:34.245000',4998,'1c07d7b5f5e53b292613324ff903b919d100b1ca848465bfff292612ff27ed20',2,NULL,'2026-11-17 05:59:34.245000','2026-11-17 05:59:34.769000');
INSERT INTO "items" VALUES(4,2,'springfield-91ed01151cd0','document','minutes/School/2023-10-17',1,'quarantined',2,0,2,0,1,'9c865e8709c94fdc9c00201be9ff9157','2026-11-17 05:59:35.067000',4704,'d63236d35c81cf153ebdd4d7d7bf506adc4dd698be36c0e0e81a0e8fbb593523',NULL,'The working process was killed by SIGKILL','2026-11-17 05:59:34.245000','2026-11-17 05:59:35.067000');
INSERT INTO "items" VALUES(5,2,'springfield-91ed01151cd0','document','School/2023-11-21.pdf',1,'failed',0,0,0,0,0,NULL,'2026-11-17 05:59:34.245000',NULL,NULL,NULL,'UnreadablePdf: is not a PDF, although it is called one','2026-11-17 05:59:34.245000',NULL);
INSERT INTO "items" VALUES(6,3,'springfield-91ed01151cd0','coordinator',NULL,0,'completed',1,0,0,0,0,'2fab849cd80f4fcaaedd923338515093','2026-11-17 05:59:35.122000',NULL,NULL,NULL,NULL,'2026-11-17 05:59:35.122000','2026-11-17 05:59:35.394000');
INSERT INTO "items" VALUES(7,4,'springfield-91ed01151cd0','compile',NULL,1,'completed',1,0,0,0,0,'ac1c67c1dfb547de947f95f535a0cba9','2026-11-17 05:59:35.398000',NULL,NULL,NULL,NULL,'2026-11-17 05:59:35.398000','2026-11-17 05:59:36.397000');
INSERT INTO "items" VALUES(8,5,'springfield-91ed01151cd0','extract',NULL,1,'completed',1,0,0,0,0,'5a4a6170007e452eb25e16781255d3a4','2026-11-17 05:59:35.431000',NULL,NULL,NULL,NULL,'2026-11-17 05:59:35.431000','2026-11-17 05:59:37.629000');
INSERT INTO "items" VALUES(9,7,'springfield-91ed01151cd0','deploy',NULL,1,'completed',1,0,0,0,0,'3b9ea46308754976b48a82d6ad58312d','2026-11-17 05:59:37.638000',NULL,NULL,NULL,NULL,'2026-11-17 05:59:37.638000','2026-11-17 05:59:37.764000');
INSERT INTO "items" VALUES(10,8,'shelbyville-0f36262080f2','fetch',NULL,1,'completed',1,0,0,0,0,'a2e97f87eaea4ad281ebe22aa74cab83','2026-11-17 05:59:38.042000',NULL,NULL,NULL,NULL,'2026-11-17 05:59:38.042000','2026-11-17 05:59:39.607000');
INSERT INTO "items" VALUES(11,9,'shelbyville-0f36262080f2','document','minutes/Council/2023-04-05',1,'completed',1,0,0,0,0,'b0bab74d80c641659683d2c2b4f38b01','2026-11-17 05:59:39.692000',2358,'2c73a1086f7b19349f4923d412fe2b24456cad817759602f5819e37f4ff29539',1,NULL,'2026-11-17 05:59:39.692000','2026-11-17 05:59:39.793000');
INSERT INTO "items" VALUES(12,9,'shelbyville-0f36262080f2','document','minutes/Council/2023-09-20',1,'pending',1,0,0,1,1,'38fcecc0d7c7476f86621fb6fb213d00','2026-11-17 05:59:46.436000',3668,'18e2e083bd3cc9689dde66c1823df84d0bf9a562c4bd21f5915acf57e0d25d74',NULL,'The worker died','2026-11-17 05:59:39.692000',NULL);
INSERT INTO "items" VALUES(13,9,'shelbyville-0f36262080f2','document','minutes/Council/2024-05-21',1,'pending',1,0,0,0,0,NULL,'2026-11-17 05:59:46.437000',1800,'5b276211d69dba62b02bef4cb7abca9c63313cd8afd215856e2311625b0076bf',NULL,NULL,'2026-11-17 05:59:39.692000',NULL);
CREATE TABLE job_tracking (
	rq_job_id VARCHAR NOT NULL, 
	subdomain VARCHAR NOT NULL, 
	job_type VARCHAR NOT NULL, 
	stage VARCHAR, 
	created_at DATETIME DEFAULT CURRENT_TIMESTAMP, 
	PRIMARY KEY (rq_job_id)
);
CREATE TABLE jobs (
	id INTEGER NOT NULL, 
	kind VARCHAR NOT NULL, 
	run_id VARCHAR, 
	subdomain VARCHAR, 
	stage VARCHAR NOT NULL, 
	queue VARCHAR NOT NULL, 
	state VARCHAR DEFAULT 'open' NOT NULL, 
	total INTEGER DEFAULT 0 NOT NULL, 
	completed INTEGER DEFAULT 0 NOT NULL, 
	failed INTEGER DEFAULT 0 NOT NULL, 
	rank INTEGER DEFAULT 0 NOT NULL, 
	busy_seconds FLOAT DEFAULT 0 NOT NULL, 
	detail JSON DEFAULT '{}' NOT NULL, 
	claimed_at DATETIME DEFAULT (strftime('%Y-%m-%d %H:%M:%f', 'now') || '000') NOT NULL, 
	created_at DATETIME DEFAULT (strftime('%Y-%m-%d %H:%M:%f', 'now') || '000') NOT NULL, 
	updated_at DATETIME DEFAULT (strftime('%Y-%m-%d %H:%M:%f', 'now') || '000') NOT NULL, 
	closed_at DATETIME, 
	CONSTRAINT pk_jobs PRIMARY KEY (id), 
	CONSTRAINT ck_jobs_state CHECK (state IN ('open', 'closed')), 
	CONSTRAINT ck_jobs_counts CHECK (completed + failed <= total), 
	CONSTRAINT fk_jobs_run_id FOREIGN KEY(run_id) REFERENCES runs (run_id) ON DELETE CASCADE, 
	CONSTRAINT uq_jobs_run_id_kind_stage UNIQUE (run_id, kind, stage)
);
INSERT INTO "jobs" VALUES(1,'stage','springfield-91ed01151cd0','springfield','fetch','fetch','closed',1,1,0,0,1.59369630999935907311e+00,'{"fetcher": "folder", "meetings": 4, "new": 3, "changed": 0, "moved": 0, "unchanged": 0, "gone": 0, "gaps": 0, "skipped": 0, "skipped_names": []}','2026-11-17 05:59:32.385000','2026-11-17 05:59:31.852000','2026-11-17 05:59:34.199000','2026-11-17 05:59:34.199000');
INSERT INTO "jobs" VALUES(2,'stage','springfield-91ed01151cd0','springfield','ocr','ocr','closed',4,2,2,0,0.267985968001085,'{"engine": "reader 1 auto | tesseract-onnx 5.5.3+onnx2.3 eng 200 dpi"}','2026-11-17 05:59:34.911000','2026-11-17 05:59:34.244000','2026-11-17 05:59:35.121000','2026-11-17 05:59:35.121000');
INSERT INTO "jobs" VALUES(3,'coordinator','springfield-91ed01151cd0','springfield','ocr','compilation','closed',0,0,0,-1,1.00151900005585048347e-03,'{}','2026-11-17 05:59:35.196000','2026-11-17 05:59:35.121000','2026-11-17 05:59:35.395000','2026-11-17 05:59:35.395000');
INSERT INTO "jobs" VALUES(4,'stage','springfield-91ed01151cd0','springfield','compilation','compilation','closed',1,1,0,0,9.05984056000306736677e-01,'{"documents": 2, "pages": 5}','2026-11-17 05:59:35.434000','2026-11-17 05:59:35.397000','2026-11-17 05:59:36.399000','2026-11-17 05:59:36.399000');
INSERT INTO "jobs" VALUES(5,'stage','springfield-91ed01151cd0','springfield','extraction','extraction','closed',1,1,0,0,1.207297528000708553e+00,'{"votes": 19, "entities": 103, "failed": {}}','2026-11-17 05:59:36.409000','2026-11-17 05:59:35.431000','2026-11-17 05:59:37.637000','2026-11-17 05:59:37.637000');
INSERT INTO "jobs" VALUES(6,'upload',NULL,NULL,'annotations','annotations','closed',5,5,0,0,0.0,'{}','2026-11-17 05:59:37.421000','2026-11-17 05:59:37.421000','2026-11-17 05:59:37.440000','2026-11-17 05:59:37.440000');
INSERT INTO "jobs" VALUES(7,'stage','springfield-91ed01151cd0','springfield','deploy','deploy','closed',1,1,0,0,4.05831030002445913851e-02,'{"path": "{root}/sites/_published/springfield", "changed": true}','2026-11-17 05:59:37.677000','2026-11-17 05:59:37.638000','2026-11-17 05:59:37.773000','2026-11-17 05:59:37.773000');
INSERT INTO "jobs" VALUES(8,'stage','shelbyville-0f36262080f2','shelbyville','fetch','fetch','closed',1,1,0,0,0.945454176999192,'{"fetcher": "folder", "meetings": 3, "new": 3, "changed": 0, "moved": 0, "unchanged": 0, "gone": 0, "gaps": 0, "skipped": 0, "skipped_names": []}','2026-11-17 05:59:38.539000','2026-11-17 05:59:38.042000','2026-11-17 05:59:39.660000','2026-11-17 05:59:39.660000');
INSERT INTO "jobs" VALUES(9,'stage','shelbyville-0f36262080f2','shelbyville','ocr','ocr','open',3,1,0,0,2.82895340005779871717e-02,'{"engine": "reader 1 auto | tesseract-onnx 5.5.3+onnx2.3 eng 200 dpi"}','2026-11-17 05:59:39.804000','2026-11-17 05:59:39.691000','2026-11-17 05:59:39.802000',NULL);
INSERT INTO "jobs" VALUES(10,'upload',NULL,NULL,'annotations','annotations','closed',3,3,0,0,0.0897175320005772,'{}','2026-11-17 05:59:44.738000','2026-11-17 05:59:43.293000','2026-11-17 05:59:44.925000','2026-11-17 05:59:44.925000');
INSERT INTO "jobs" VALUES(11,'upload',NULL,NULL,'annotations','annotations','open',8,4,0,0,2.20884691001629107631e-01,'{}','2026-11-17 05:59:47.729000','2026-11-17 05:59:46.050000','2026-11-17 05:59:47.660000',NULL);
CREATE TABLE quarantine (
	id INTEGER NOT NULL, 
	subdomain VARCHAR NOT NULL, 
	document VARCHAR NOT NULL, 
	sha256 VARCHAR NOT NULL, 
	engine VARCHAR DEFAULT '' NOT NULL, 
	state VARCHAR NOT NULL, 
	reason TEXT NOT NULL, 
	created_at DATETIME DEFAULT (strftime('%Y-%m-%d %H:%M:%f', 'now') || '000') NOT NULL, 
	CONSTRAINT pk_quarantine PRIMARY KEY (id), 
	CONSTRAINT fk_quarantine_subdomain FOREIGN KEY(subdomain) REFERENCES sites (subdomain) ON DELETE CASCADE ON UPDATE CASCADE, 
	CONSTRAINT uq_quarantine_subdomain_document_sha256 UNIQUE (subdomain, document, sha256)
);
INSERT INTO "quarantine" VALUES(1,'springfield','minutes/School/2023-10-17','d63236d35c81cf153ebdd4d7d7bf506adc4dd698be36c0e0e81a0e8fbb593523','reader 1 auto | tesseract-onnx 5.5.3+onnx2.3 eng 200 dpi','quarantined','The working process was killed by SIGKILL','2026-11-17 05:59:35.119000');
CREATE TABLE queues (
	name VARCHAR NOT NULL, 
	paused_by VARCHAR, 
	paused_at DATETIME, 
	CONSTRAINT pk_queues PRIMARY KEY (name)
);
INSERT INTO "queues" VALUES('annotations','root','2026-11-17 05:59:54.308000');
CREATE TABLE relations (
	set_id INTEGER NOT NULL, 
	position INTEGER NOT NULL, 
	id VARCHAR NOT NULL, 
	subj VARCHAR NOT NULL, 
	pred TEXT NOT NULL, 
	obj VARCHAR NOT NULL, 
	CONSTRAINT pk_relations PRIMARY KEY (set_id, position)
)
 WITHOUT ROWID

;
INSERT INTO "relations" VALUES(1,0,'R1','T30','mover','T9');
INSERT INTO "relations" VALUES(1,1,'R2','T30','seconder','T10');
INSERT INTO "relations" VALUES(1,2,'R3','T31','mover','T19');
INSERT INTO "relations" VALUES(1,3,'R4','T31','seconder','T20');
INSERT INTO "relations" VALUES(1,4,'R5','T32','mover','T21');
INSERT INTO "relations" VALUES(1,5,'R6','T32','seconder','T22');
INSERT INTO "relations" VALUES(2,0,'R1','T21','mover','T3');
INSERT INTO "relations" VALUES(2,1,'R2','T21','seconder','T4');
INSERT INTO "relations" VALUES(2,2,'R3','T22','mover','T8');
INSERT INTO "relations" VALUES(2,3,'R4','T22','seconder','T9');
INSERT INTO "relations" VALUES(2,4,'R5','T23','mover','T11');
INSERT INTO "relations" VALUES(2,5,'R6','T23','seconder','T13');
INSERT INTO "relations" VALUES(2,6,'R7','T24','mover','T14');
INSERT INTO "relations" VALUES(2,7,'R8','T24','seconder','T15');
INSERT INTO "relations" VALUES(2,8,'R9','T25','mover','T17');
INSERT INTO "relations" VALUES(3,0,'R1','T12','mover','T2');
INSERT INTO "relations" VALUES(3,1,'R2','T12','seconder','T3');
INSERT INTO "relations" VALUES(6,0,'R1','T1','before','T2');
INSERT INTO "relations" VALUES(7,0,'R1','T1','before','T2');
INSERT INTO "relations" VALUES(8,0,'R1','T1','before','T2');
INSERT INTO "relations" VALUES(9,0,'R1','T1','before','T2');
INSERT INTO "relations" VALUES(10,0,'R1','T1','before','T2');
INSERT INTO "relations" VALUES(11,0,'R1','T1','before','T2');
CREATE TABLE runs (
	run_id VARCHAR NOT NULL, 
	subdomain VARCHAR NOT NULL, 
	epoch INTEGER NOT NULL, 
	state VARCHAR DEFAULT 'active' NOT NULL, 
	goal_stage VARCHAR, 
	options JSON DEFAULT '{}' NOT NULL, 
	reason TEXT, 
	created_at DATETIME DEFAULT (strftime('%Y-%m-%d %H:%M:%f', 'now') || '000') NOT NULL, 
	finished_at DATETIME, 
	CONSTRAINT pk_runs PRIMARY KEY (run_id), 
	CONSTRAINT ck_runs_state CHECK (state IN ('active', 'completed', 'partial', 'no_documents', 'failed', 'cancelled', 'superseded')), 
	CONSTRAINT fk_runs_subdomain FOREIGN KEY(subdomain) REFERENCES sites (subdomain) ON DELETE CASCADE ON UPDATE CASCADE, 
	CONSTRAINT uq_runs_subdomain_epoch UNIQUE (subdomain, epoch)
);
INSERT INTO "runs" VALUES('springfield-91ed01151cd0','springfield',1,'partial',NULL,'{}',NULL,'2026-11-17 05:59:31.804000','2026-11-17 05:59:37.802000');
INSERT INTO "runs" VALUES('shelbyville-0f36262080f2','shelbyville',1,'active',NULL,'{}',NULL,'2026-11-17 05:59:38.041000',NULL);
CREATE TABLE "sites" (
	subdomain VARCHAR NOT NULL, 
	name VARCHAR, 
	state VARCHAR, 
	kind VARCHAR, 
	scraper VARCHAR, 
	pages INTEGER, 
	start_year INTEGER, 
	extra VARCHAR, 
	country VARCHAR, 
	lat VARCHAR, 
	lng VARCHAR, 
	current_stage VARCHAR, 
	started_at DATETIME, 
	updated_at DATETIME, 
	fetch_total INTEGER DEFAULT 0, 
	fetch_completed INTEGER DEFAULT 0, 
	fetch_failed INTEGER DEFAULT 0, 
	ocr_total INTEGER DEFAULT 0, 
	ocr_completed INTEGER DEFAULT 0, 
	ocr_failed INTEGER DEFAULT 0, 
	compilation_total INTEGER DEFAULT 0, 
	compilation_completed INTEGER DEFAULT 0, 
	compilation_failed INTEGER DEFAULT 0, 
	extraction_total INTEGER DEFAULT 0, 
	extraction_completed INTEGER DEFAULT 0, 
	extraction_failed INTEGER DEFAULT 0, 
	deploy_total INTEGER DEFAULT 0, 
	deploy_completed INTEGER DEFAULT 0, 
	deploy_failed INTEGER DEFAULT 0, 
	coordinator_enqueued BOOLEAN DEFAULT 0, 
	last_error_stage VARCHAR, 
	last_error_message TEXT, 
	last_error_at DATETIME, 
	PRIMARY KEY (subdomain), 
	CONSTRAINT ck_sites_fetch CHECK (fetch_completed + fetch_failed <= fetch_total), 
	CONSTRAINT ck_sites_ocr CHECK (ocr_completed + ocr_failed <= ocr_total), 
	CONSTRAINT ck_sites_compilation CHECK (compilation_completed + compilation_failed <= compilation_total), 
	CONSTRAINT ck_sites_extraction CHECK (extraction_completed + extraction_failed <= extraction_total), 
	CONSTRAINT ck_sites_deploy CHECK (deploy_completed + deploy_failed <= deploy_total)
);
INSERT INTO "sites" VALUES('springfield','Springfield','IL',NULL,'folder',NULL,NULL,'{"source": "{root}/documents/springfield"}',NULL,NULL,NULL,'completed','2026-11-17 05:59:31.805000','2026-11-17 05:59:37.817000',1,1,0,4,2,2,1,1,0,1,1,0,1,1,0,0,'ocr','The working process was killed by SIGKILL','2026-11-17 05:59:35.121000');
INSERT INTO "sites" VALUES('shelbyville','Shelbyville','IL',NULL,'folder',NULL,NULL,'{"source": "{root}/documents/shelbyville"}',NULL,NULL,NULL,'ocr','2026-11-17 05:59:38.041000','2026-11-17 05:59:39.802000',1,1,0,3,1,0,0,0,0,0,0,0,0,0,0,0,NULL,NULL,NULL);
CREATE TABLE stage_events (
	id INTEGER NOT NULL, 
	at DATETIME DEFAULT (strftime('%Y-%m-%d %H:%M:%f', 'now') || '000') NOT NULL, 
	event VARCHAR NOT NULL, 
	subdomain VARCHAR, 
	run_id VARCHAR, 
	stage VARCHAR, 
	completed INTEGER DEFAULT 0 NOT NULL, 
	failed INTEGER DEFAULT 0 NOT NULL, 
	seconds FLOAT, 
	detail TEXT, 
	CONSTRAINT pk_stage_events PRIMARY KEY (id)
);
INSERT INTO "stage_events" VALUES(1,'2026-11-17 05:59:31.851000','run started','springfield','springfield-91ed01151cd0','fetch',0,0,NULL,NULL);
INSERT INTO "stage_events" VALUES(2,'2026-11-17 05:59:34.164000','finished','springfield','springfield-91ed01151cd0','fetch',1,0,1.59369630999935907311e+00,NULL);
INSERT INTO "stage_events" VALUES(3,'2026-11-17 05:59:34.504000','finished','springfield','springfield-91ed01151cd0','ocr',1,0,1.47693013001116923987e-01,NULL);
INSERT INTO "stage_events" VALUES(4,'2026-11-17 05:59:34.769000','finished','springfield','springfield-91ed01151cd0','ocr',1,0,1.20292954999968060292e-01,NULL);
INSERT INTO "stage_events" VALUES(5,'2026-11-17 05:59:34.886000','crashed','springfield','springfield-91ed01151cd0','ocr',0,0,NULL,'minutes/School/2023-10-17: The working process was killed by SIGKILL');
INSERT INTO "stage_events" VALUES(6,'2026-11-17 05:59:35.068000','crashed','springfield','springfield-91ed01151cd0','ocr',0,0,NULL,'minutes/School/2023-10-17: The working process was killed by SIGKILL');
INSERT INTO "stage_events" VALUES(7,'2026-11-17 05:59:35.119000','finished','springfield','springfield-91ed01151cd0','ocr',0,1,0.0,'The working process was killed by SIGKILL');
INSERT INTO "stage_events" VALUES(8,'2026-11-17 05:59:36.398000','finished','springfield','springfield-91ed01151cd0','compilation',1,0,9.05984056000306736677e-01,NULL);
INSERT INTO "stage_events" VALUES(9,'2026-11-17 05:59:37.630000','finished','springfield','springfield-91ed01151cd0','extraction',1,0,1.207297528000708553e+00,NULL);
INSERT INTO "stage_events" VALUES(10,'2026-11-17 05:59:37.772000','finished','springfield','springfield-91ed01151cd0','deploy',1,0,4.05831030002445913851e-02,NULL);
INSERT INTO "stage_events" VALUES(11,'2026-11-17 05:59:37.817000','run partial','springfield','springfield-91ed01151cd0','deploy',0,0,NULL,NULL);
INSERT INTO "stage_events" VALUES(12,'2026-11-17 05:59:38.041000','run started','shelbyville','shelbyville-0f36262080f2','fetch',0,0,NULL,NULL);
INSERT INTO "stage_events" VALUES(13,'2026-11-17 05:59:39.609000','finished','shelbyville','shelbyville-0f36262080f2','fetch',1,0,0.945454176999192,NULL);
INSERT INTO "stage_events" VALUES(14,'2026-11-17 05:59:39.794000','finished','shelbyville','shelbyville-0f36262080f2','ocr',1,0,2.82895340005779871717e-02,NULL);
INSERT INTO "stage_events" VALUES(15,'2026-11-17 05:59:44.924000','finished',NULL,NULL,'annotations',3,0,0.0897175320005772,NULL);
INSERT INTO "stage_events" VALUES(16,'2026-11-17 05:59:46.478000','crashed','shelbyville','shelbyville-0f36262080f2','ocr',0,0,NULL,'minutes/Council/2023-09-20: The worker died');
INSERT INTO "stage_events" VALUES(17,'2026-11-17 05:59:47.524000','finished',NULL,NULL,'annotations',2,0,1.65048060000117402523e-01,NULL);
INSERT INTO "stage_events" VALUES(18,'2026-11-17 05:59:47.660000','finished',NULL,NULL,'annotations',2,0,5.58366310015117051079e-02,NULL);
CREATE TABLE tokens (
	id INTEGER NOT NULL, 
	name VARCHAR NOT NULL, 
	role VARCHAR NOT NULL, 
	sha256 VARCHAR NOT NULL, 
	created_by VARCHAR NOT NULL, 
	created_at DATETIME DEFAULT (strftime('%Y-%m-%d %H:%M:%f', 'now') || '000') NOT NULL, 
	revoked_at DATETIME, 
	CONSTRAINT pk_tokens PRIMARY KEY (id), 
	CONSTRAINT uq_tokens_sha256 UNIQUE (sha256)
);
INSERT INTO "tokens" VALUES(1,'reports','viewer','0b2470145dc4603abbae6a361632adb2e4a49f921210fc5c6c61604b0837d7e2','ann','2026-11-17 05:59:54.592000',NULL);
CREATE TABLE workers (
	id VARCHAR NOT NULL, 
	host VARCHAR NOT NULL, 
	pid INTEGER NOT NULL, 
	queues VARCHAR NOT NULL, 
	lock_path VARCHAR, 
	version VARCHAR, 
	started_at DATETIME DEFAULT (strftime('%Y-%m-%d %H:%M:%f', 'now') || '000') NOT NULL, 
	beat_at DATETIME DEFAULT (strftime('%Y-%m-%d %H:%M:%f', 'now') || '000') NOT NULL, 
	lease_until DATETIME NOT NULL, 
	CONSTRAINT pk_workers PRIMARY KEY (id)
);
INSERT INTO "workers" VALUES('townhall-14016-3c9425d1','townhall/00000000-0000-0000-0000-000000000000',14016,'fetch,ocr,compilation,extraction,deploy,annotations','{root}/sites/_clerk/workers/townhall-14016-3c9425d1.lock','0.1.0','2026-11-17 05:59:38.252000','2026-11-17 05:59:38.301000','2026-11-17 05:59:50.301000');
INSERT INTO "workers" VALUES('townhall-14176-a4d1c507','townhall/00000000-0000-0000-0000-000000000000',14176,'annotations','{root}/sites/_clerk/workers/townhall-14176-a4d1c507.lock','0.1.0','2026-11-17 05:59:46.197000','2026-11-17 05:59:46.251000','2026-11-17 05:59:58.251000');
CREATE INDEX ix_job_tracking_subdomain ON job_tracking (subdomain);
CREATE INDEX idx_sites_current_stage ON sites (current_stage);
CREATE INDEX idx_sites_updated_at ON sites (updated_at);
CREATE INDEX idx_sites_coordinator_enqueued ON sites (subdomain, coordinator_enqueued) WHERE coordinator_enqueued = 0;
CREATE INDEX ix_audit_at ON audit (at);
CREATE INDEX ix_stage_events_at ON stage_events (at);
CREATE INDEX ix_stage_events_event ON stage_events (event, at);
CREATE INDEX ix_stage_events_subdomain ON stage_events (subdomain, id);
CREATE INDEX ix_annotation_sets_document_id ON annotation_sets (document_id);
CREATE INDEX ix_annotation_sets_job_id ON annotation_sets (job_id);
CREATE UNIQUE INDEX uq_annotation_sets_current ON annotation_sets (project_id, document_id) WHERE is_current;
CREATE UNIQUE INDEX uq_runs_active ON runs (subdomain) WHERE state = 'active';
CREATE INDEX ix_jobs_claimable ON jobs (queue, rank, claimed_at, id) WHERE state = 'open';
CREATE INDEX ix_annotation_issues_job_id ON annotation_issues (job_id, code);
CREATE INDEX ix_batch_job_trackings_created ON batch_job_trackings (created_at);
CREATE INDEX ix_batch_job_trackings_parent ON batch_job_trackings (parent_job_id, status);
CREATE INDEX ix_batch_job_trackings_pending ON batch_job_trackings (parent_job_id, id) WHERE status = 'pending';
CREATE INDEX ix_batch_job_trackings_running ON batch_job_trackings (worker_id) WHERE status = 'running';
CREATE INDEX ix_items_failed ON items (job_id) WHERE state IN ('failed', 'quarantined');
CREATE INDEX ix_items_pending ON items (job_id, alone, id) WHERE state = 'pending';
CREATE INDEX ix_items_run_id ON items (run_id);
CREATE INDEX ix_items_running ON items (claim) WHERE state = 'running';
COMMIT;
