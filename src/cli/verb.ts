import type { Command } from 'commander'

/** Adds one verb to the program; `about` is the line that `mergelaw --help` shows for it. */
export type Register = (program: Command, about: string) => void
