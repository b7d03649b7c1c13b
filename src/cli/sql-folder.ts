import type { Dirent } from 'node:fs'
import { lstat, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { dirname, join, relative, sep } from 'node:path'
import { textProperty } from '../adapters/errors.ts'
import { MergelawError } from '../errors/index.ts'
import { messageOf } from '../util/message-of.ts'

/** What stands somewhere in a folder; a link is what it leads to. Only a file has a text: whatever else may never end. */
export interface Found {
  readonly what: 'file' | 'folder' | 'link to a folder' | 'link to nothing' | 'special file'
  readonly text: string
}

/** Everything below a folder, by its relative path with `/`. A folder that is not there is an empty one. */
export const readFolder = async (folder: string): Promise<ReadonlyMap<string, Found>> => {
  try {
    if ((await unlessMissing(lstat(folder))) === undefined) return new Map()
    const entries = await readdir(folder, { recursive: true, withFileTypes: true })
    const named = entries.map(async (entry) => {
      const path = join(entry.parentPath, entry.name)
      return [relative(folder, path).split(sep).join('/'), await look(path, entry)] as const
    })
    return new Map(await Promise.all(named))
  } catch (cause) {
    throw new MergelawError('usage', `could not read ${folder}: ${messageOf(cause)}`, { cause })
  }
}

const look = async (path: string, entry: Dirent): Promise<Found> => {
  if (entry.isDirectory()) return { what: 'folder', text: '' }
  const stats = await unlessMissing(stat(path))
  if (stats === undefined) return { what: 'link to nothing', text: '' }
  if (stats.isDirectory()) return { what: 'link to a folder', text: '' }
  return stats.isFile() ? { what: 'file', text: await readFile(path, 'utf8') } : { what: 'special file', text: '' }
}

const unlessMissing = async <T>(looking: Promise<T>): Promise<T | undefined> => {
  try {
    return await looking
  } catch (error) {
    if (isCalled('ENOENT', error) || isCalled('ELOOP', error)) return undefined
    throw error
  }
}

const isCalled = (code: string, error: unknown): boolean => textProperty(error, 'code') === code

/** Writes a file and the folders above it. What is no file is never written to: a pipe, for one, would wait for a reader. */
export const writeInFolder = async (path: string, text: string): Promise<void> => {
  try {
    await makeFolder(dirname(path))
    const there = await unlessMissing(stat(path))
    if (there !== undefined && !there.isFile()) throw new MergelawError('usage', 'what stands there is no file; remove it')
    await writeFile(path, text)
  } catch (cause) {
    throw new MergelawError('usage', `could not write ${path}: ${messageOf(cause)}`, { cause })
  }
}

/** Not `mkdir` with `recursive`: in Node 20 that never ends where a folder above is there and yet takes none, as in /proc. */
const makeFolder = async (folder: string): Promise<void> => {
  try {
    await mkdir(folder)
  } catch (error) {
    if (isCalled('EEXIST', error)) return
    if (!isCalled('ENOENT', error) || dirname(folder) === folder) throw error
    if ((await unlessMissing(stat(dirname(folder)))) !== undefined) throw error
    await makeFolder(dirname(folder))
    await mkdir(folder)
  }
}
