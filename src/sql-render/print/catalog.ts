import type { DialectName } from './index.ts'

/**
 * What a database's catalogue says about some tables, in one statement: rows of (kind, JSON document), read by `src/subagents/observe.ts`.
 *
 * One parameter: the tables' names as a JSON array. One statement is one snapshot, and one round trip.
 *
 * Divergence: each database keeps its catalogue elsewhere. SQLite's pragma functions read the main database; in PostgreSQL `to_regclass`
 * follows the search path with the name quoted, exactly as our statements do. Names are case-insensitive in SQLite alone.
 * No function that locks the table (`pg_get_expr` does): the first look must not wait for another process's upgrade.
 * https://sqlite.org/pragma.html#pragma_index_xinfo https://www.postgresql.org/docs/current/catalogs.html
 */
export const CATALOG: Readonly<Record<DialectName, string>> = {
  sqlite: `WITH wanted AS (
  SELECT LOWER(m.name) AS id, m.name AS name, m.type AS type, m.sql AS sql
  FROM json_each(?) AS w
  JOIN sqlite_master AS m ON LOWER(m.name) = LOWER(w.value) AND m.type IN ('table', 'view')
)
SELECT 'relation' AS kind, json_object('table', id, 'isTable', type = 'table', 'schema', 'main', 'sql', sql) AS doc FROM wanted
UNION ALL
SELECT 'column', json_object('table', w.id, 'name', LOWER(c.name), 'type', c.type, 'notNull', c."notnull", 'initial', c.dflt_value,
  'primaryKey', c.pk, 'generated', c.hidden > 1, 'narrow', 0)
FROM wanted AS w JOIN pragma_table_xinfo(w.name, 'main') AS c
UNION ALL
SELECT 'index', json_object('table', w.id, 'name', l.name, 'unique', l."unique", 'whole', NOT l.partial,
  'kind', CASE l.origin WHEN 'c' THEN 'index' WHEN 'u' THEN 'constraint' ELSE 'primary' END,
  'columns', json((SELECT json_group_array(x.name) FROM (
    SELECT LOWER(name) AS name FROM pragma_index_xinfo(l.name, 'main') WHERE key = 1 ORDER BY seqno) AS x)),
  'infers', NOT EXISTS (SELECT 1 FROM pragma_index_xinfo(l.name, 'main') WHERE key = 1 AND coll <> 'BINARY'),
  'sql', (SELECT m.sql FROM sqlite_master AS m WHERE m.type = 'index' AND m.name = l.name))
FROM wanted AS w JOIN pragma_index_list(w.name, 'main') AS l
UNION ALL
SELECT 'trigger', json_object('table', w.id, 'name', m.name, 'mode', 'O', 'sql', m.sql)
FROM wanted AS w JOIN sqlite_master AS m ON m.type = 'trigger' AND LOWER(m.tbl_name) = w.id
UNION ALL
SELECT 'trigger', json_object('table', w.id, 'name', m.name, 'mode', 'temporary', 'sql', m.sql)
FROM wanted AS w JOIN sqlite_temp_master AS m ON m.type = 'trigger' AND LOWER(m.tbl_name) = w.id
UNION ALL
SELECT 'foreignKey', json_object('table', w.id, 'references', LOWER(f."table"), 'columns', json_group_array(LOWER(f."from")))
FROM wanted AS w JOIN pragma_foreign_key_list(w.name, 'main') AS f GROUP BY w.id, f.id, LOWER(f."table")
UNION ALL
SELECT 'referencedBy', json_object('table', w.id, 'by', m.name, 'columns', json_group_array(LOWER(f."to")))
FROM wanted AS w
JOIN sqlite_master AS m ON m.type = 'table' AND LOWER(m.name) <> w.id AND m.sql LIKE '%' || w.name || '%'
JOIN pragma_foreign_key_list(m.name, 'main') AS f ON LOWER(f."table") = w.id
GROUP BY w.id, m.name, f.id`,

  postgres: `WITH wanted AS (
  SELECT w.name AS id, c.oid AS oid, c.relkind AS relkind, n.nspname AS nspname
  FROM json_array_elements_text($1::json) AS w(name)
  JOIN pg_catalog.pg_class AS c ON c.oid = pg_catalog.to_regclass(pg_catalog.quote_ident(w.name))
  JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
)
SELECT 'relation' AS kind,
  json_build_object('table', id, 'isTable', (relkind IN ('r', 'p'))::int, 'schema', nspname, 'sql', NULL)::text AS doc FROM wanted
UNION ALL
SELECT 'column', json_build_object('table', w.id, 'name', a.attname, 'type', pg_catalog.format_type(a.atttypid, a.atttypmod),
  'notNull', a.attnotnull::int, 'initial', NULL, 'primaryKey', 0,
  'generated', (a.attgenerated <> '')::int, 'narrow', (a.atttypid IN ('int2'::regtype, 'int4'::regtype))::int)::text
FROM wanted AS w
JOIN pg_catalog.pg_attribute AS a ON a.attrelid = w.oid AND a.attnum > 0 AND NOT a.attisdropped
UNION ALL
SELECT 'index', json_build_object('table', w.id, 'name', c.relname, 'unique', i.indisunique::int, 'whole', (i.indpred IS NULL)::int,
  'kind', CASE WHEN k.contype = 'p' THEN 'primary' WHEN k.contype = 'u' THEN 'constraint' ELSE 'index' END,
  'columns', (SELECT json_agg(a.attname ORDER BY p.at) FROM generate_series(0, i.indnkeyatts - 1) AS p(at)
    LEFT JOIN pg_catalog.pg_attribute AS a ON a.attrelid = w.oid AND a.attnum = i.indkey[p.at] AND i.indkey[p.at] <> 0),
  'infers', (i.indimmediate AND i.indisvalid AND i.indisready)::int, 'sql', NULL)::text
FROM wanted AS w
JOIN pg_catalog.pg_index AS i ON i.indrelid = w.oid
JOIN pg_catalog.pg_class AS c ON c.oid = i.indexrelid
LEFT JOIN pg_catalog.pg_constraint AS k ON k.conindid = i.indexrelid AND k.conrelid = w.oid AND k.contype IN ('p', 'u', 'x')
UNION ALL
SELECT 'trigger', json_build_object('table', w.id, 'name', t.tgname, 'mode', t.tgenabled, 'sql', NULL)::text
FROM wanted AS w JOIN pg_catalog.pg_trigger AS t ON t.tgrelid = w.oid AND NOT t.tgisinternal`,
}
