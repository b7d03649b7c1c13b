/** One side of one case, once, in this process: `trial.ts GROUP SIDE` prints what it took as JSON. */
import { GROUPS } from './groups.ts'

const [group = '', side = ''] = process.argv.slice(2)
const chosen = side === 'before' ? GROUPS[group]?.before : GROUPS[group]?.sides[side]
if (chosen === undefined) throw new Error(`no side ${JSON.stringify(side)} of ${JSON.stringify(group)}`)
console.log(JSON.stringify(await chosen()))
// A library that keeps a pool open would keep the process alive.
process.exit(0)
