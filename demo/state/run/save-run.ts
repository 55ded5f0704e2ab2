// Saves the open run as one HTML file.
// Invariant: the file has no secret of a known form, and texts of sensitive records only by the reader's choice.
import type { Daybook } from '../../../src/index.ts'
import { type Entry, pictureOf } from '../../kind/run/picture.ts'
import { withoutSensitive } from '../../kind/run/redacted-run.ts'
import { shareRun } from '../../kind/run/share-run.ts'
import { saveFile } from '../../page/save-file.ts'
import { tell } from '../../page/toast.ts'
import { openedBook } from '../book.ts'
import { maskedCopy } from '../record/secret.ts'
import { transcript } from './transcript.ts'

const batch = 200

/** Entries of records that are not encrypted are looked through too: a book may be told to store secrets in clear. */
async function masked(from: Daybook, entries: readonly Entry[]): Promise<readonly Entry[]> {
  const all: Entry[] = []
  for (let at = 0; at < entries.length; at += batch)
    all.push(...(await maskedCopy(from, entries.slice(at, at + batch))))
  return all
}

export async function saveRun(includesSensitive: boolean): Promise<void> {
  const now = transcript.peek()
  if (!now) return
  const { session, entries: read, run } = now
  const entries = await masked(await openedBook(), includesSensitive ? read : withoutSensitive(read))
  const picture = pictureOf(session, entries)
  const all = (run?.steps ?? 0) + (run?.messages ?? 0)
  const page = shareRun(picture, { savedAt: new Date().toISOString(), includesSensitive, all })
  saveFile(new Blob([page], { type: 'text/html' }), fileName(picture.name))
  tell('The run was saved as one HTML file.')
}

const nameLength = 48

/** Of letters and digits, which every disk takes. */
function fileName(name: string): string {
  const plain = name
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, '-')
    .slice(0, nameLength)
    .replaceAll(/^-|-$/g, '')
  return `run${plain === '' ? '' : `-${plain}`}.html`
}
