-- A database as Fogbound 0.1 made it, before its schema had a version: a game in its third move, and a waiting table.
CREATE TABLE fogbound_chat (
	table_id VARCHAR(16) NOT NULL,
	number INTEGER NOT NULL,
	sender TEXT NOT NULL,
	text TEXT NOT NULL,
	time FLOAT NOT NULL,
	PRIMARY KEY (table_id, number)
);
INSERT INTO "fogbound_chat" VALUES('abcdefgh',0,'Zoë','it''s foggy 🌫',1760000001.25);
CREATE TABLE fogbound_moves (
	table_id VARCHAR(16) NOT NULL,
	number INTEGER NOT NULL,
	seat INTEGER NOT NULL,
	code BIGINT NOT NULL,
	chance JSON NOT NULL,
	PRIMARY KEY (table_id, number)
);
INSERT INTO "fogbound_moves" VALUES('abcdefgh',0,0,1,'[]');
INSERT INTO "fogbound_moves" VALUES('abcdefgh',1,1,5,'[]');
INSERT INTO "fogbound_moves" VALUES('abcdefgh',2,0,0,'[]');
CREATE TABLE fogbound_seats (
	table_id VARCHAR(16) NOT NULL,
	seat INTEGER NOT NULL,
	kind VARCHAR(16) NOT NULL,
	nickname TEXT NOT NULL,
	level VARCHAR(40),
	token VARCHAR(64),
	ready INTEGER NOT NULL,
	PRIMARY KEY (table_id, seat)
);
INSERT INTO "fogbound_seats" VALUES('abcdefgh',0,'person','Zoë',NULL,'6c02cf2083469e72758a38be0b7c6eabe9bc58580774daf6b2cf4b6ea1469722',1);
INSERT INTO "fogbound_seats" VALUES('abcdefgh',1,'person','Bob',NULL,'3f08aace122ee2368432c1ca23a049bc640bafbf00fdf33a52429f38ba12dbf9',1);
INSERT INTO "fogbound_seats" VALUES('waiting2',0,'person','Ann',NULL,'2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881',1);
INSERT INTO "fogbound_seats" VALUES('waiting2',1,'open','',NULL,NULL,0);
CREATE TABLE fogbound_tables (
	id VARCHAR(16) NOT NULL,
	spec TEXT NOT NULL,
	definition JSON NOT NULL,
	settings JSON NOT NULL,
	phase VARCHAR(16) NOT NULL,
	start JSON,
	created FLOAT NOT NULL,
	PRIMARY KEY (id)
);
INSERT INTO "fogbound_tables" VALUES('abcdefgh','scotland-yard/grid3:detectives=1','{"game": "scotland-yard", "name": "grid3", "about": "3 x 3 grid, four directions, 2 detectives, no tickets to count", "transports": [{"name": "walk", "black_only": false}], "stations": [{"station": 1, "x": 0.0, "y": 0.0, "links": {"walk": [2, 4]}}, {"station": 2, "x": 1.0, "y": 0.0, "links": {"walk": [1, 3, 5]}}, {"station": 3, "x": 2.0, "y": 0.0, "links": {"walk": [2, 6]}}, {"station": 4, "x": 0.0, "y": 1.0, "links": {"walk": [1, 5, 7]}}, {"station": 5, "x": 1.0, "y": 1.0, "links": {"walk": [2, 4, 6, 8]}}, {"station": 6, "x": 2.0, "y": 1.0, "links": {"walk": [3, 5, 9]}}, {"station": 7, "x": 0.0, "y": 2.0, "links": {"walk": [4, 8]}}, {"station": 8, "x": 1.0, "y": 2.0, "links": {"walk": [5, 7, 9]}}, {"station": 9, "x": 2.0, "y": 2.0, "links": {"walk": [6, 8]}}], "starts": {"mr_x": [1, 2, 3, 4, 5, 6, 7, 8, 9], "detectives": [1, 2, 3, 4, 5, 6, 7, 8, 9]}, "rules": {"detectives": 1, "rounds": 15, "reveals": "every 3", "first": "mr_x", "hand_over": false, "step_on_detective": false, "closing_move": false, "stuck_detectives": "lose", "show_start": false, "tickets": {"mr_x": "unlimited", "detectives": "unlimited"}}}','{"public": true, "hotseat": false, "clock": {"kind": "none"}, "seed": null}','playing','[4, 7]',1760000000.5);
INSERT INTO "fogbound_tables" VALUES('waiting2','scotland-yard/grid3:detectives=1','{"game": "scotland-yard", "name": "grid3", "about": "3 x 3 grid, four directions, 2 detectives, no tickets to count", "transports": [{"name": "walk", "black_only": false}], "stations": [{"station": 1, "x": 0.0, "y": 0.0, "links": {"walk": [2, 4]}}, {"station": 2, "x": 1.0, "y": 0.0, "links": {"walk": [1, 3, 5]}}, {"station": 3, "x": 2.0, "y": 0.0, "links": {"walk": [2, 6]}}, {"station": 4, "x": 0.0, "y": 1.0, "links": {"walk": [1, 5, 7]}}, {"station": 5, "x": 1.0, "y": 1.0, "links": {"walk": [2, 4, 6, 8]}}, {"station": 6, "x": 2.0, "y": 1.0, "links": {"walk": [3, 5, 9]}}, {"station": 7, "x": 0.0, "y": 2.0, "links": {"walk": [4, 8]}}, {"station": 8, "x": 1.0, "y": 2.0, "links": {"walk": [5, 7, 9]}}, {"station": 9, "x": 2.0, "y": 2.0, "links": {"walk": [6, 8]}}], "starts": {"mr_x": [1, 2, 3, 4, 5, 6, 7, 8, 9], "detectives": [1, 2, 3, 4, 5, 6, 7, 8, 9]}, "rules": {"detectives": 1, "rounds": 15, "reveals": "every 3", "first": "mr_x", "hand_over": false, "step_on_detective": false, "closing_move": false, "stuck_detectives": "lose", "show_start": false, "tickets": {"mr_x": "unlimited", "detectives": "unlimited"}}}','{"public": true}','waiting','null',1760000002.0);
