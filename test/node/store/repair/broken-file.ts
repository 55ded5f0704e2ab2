// Breaks pages of a database's file: where they are, and what is left of it.
import { readFileSync, writeFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'

export const pageBytes = 4096

/** The pages below the root of `table`, in which its rows stand. */
export function leavesOf(path: string, table: string): number[] {
  using db = new DatabaseSync(path)
  return db
    .prepare("SELECT pageno FROM dbstat WHERE name = ? AND pagetype = 'leaf' ORDER BY pageno")
    .all(table)
    .map(({ pageno }) => Number(pageno))
}

export function rootOf(path: string, table: string): number {
  using db = new DatabaseSync(path)
  return Number(db.prepare('SELECT rootpage FROM sqlite_master WHERE name = ?').get(table)?.['rootpage'])
}

/** The pages in which `text` stands. */
export function pagesWith(path: string, text: string): number[] {
  const bytes = readFileSync(path, 'latin1')
  const pages = new Set<number>()
  for (let at = bytes.indexOf(text); at >= 0; at = bytes.indexOf(text, at + 1))
    pages.add(1 + Math.floor(at / pageBytes))
  return [...pages]
}

export function breakPages(path: string, pages: readonly number[]): void {
  const bytes = readFileSync(path)
  for (const page of pages) bytes.fill(0xa5, (page - 1) * pageBytes, page * pageBytes)
  writeFileSync(path, bytes)
}
