/** What a `.pg.test.ts` file needs: the running servers' URLs, and databases of its own in them. */
import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { inject } from 'vitest'
import { type PostgresVersion, TEST_TIME_ZONE } from './postgres-server.ts'

export type { PostgresVersion } from './postgres-server.ts'

/** One database nobody else uses; `drop` removes it, even while connections to it are open. */
export type FreshDatabase = { readonly url: string; readonly drop: () => Promise<void> }

/** The servers of this run, for `describe.each(postgresUrls())`; each URL names a maintenance database: create your own. */
export const postgresUrls = (): readonly { readonly version: PostgresVersion; readonly url: string }[] => {
  const servers = inject('postgres')
  if (servers.length > 0) return servers
  throw new Error('no PostgreSQL server in this run: a file that needs one must be named *.pg.test.ts')
}

const maintain = async (url: string, ...statements: readonly string[]): Promise<void> => {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    for (const statement of statements) await client.query(statement)
  } finally {
    await client.end()
  }
}

const withDatabase = (url: string, name: string): string => {
  const changed = new URL(url)
  changed.pathname = `/${name}`
  return changed.href
}

/** An empty database with a name of its own, in the test time zone whatever server it is on; takes some tens of milliseconds. */
export const freshDatabase = async (version: PostgresVersion): Promise<FreshDatabase> => {
  const server = postgresUrls().find((candidate) => candidate.version === version)
  if (server === undefined) throw new Error(`no PostgreSQL ${version} in this run`)
  const name = `mergelaw_${randomUUID().replaceAll('-', '')}`
  const zone = `ALTER DATABASE ${name} SET timezone TO '${TEST_TIME_ZONE}'`
  await maintain(server.url, `CREATE DATABASE ${name} TEMPLATE template0`, zone)
  return {
    url: withDatabase(server.url, name),
    drop: () => maintain(server.url, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`),
  }
}
