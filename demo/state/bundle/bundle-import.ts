// Imports a bundle: verifies it, tries it without a change, and applies it when the reader confirms.
import { signal } from '@preact/signals'
import { type CapabilityOutput, type DaybookError, isDaybookError } from '../../../src/index.ts'
import { asDaybookError } from '../../wording/error-word.ts'
import { countOf } from '../../wording/text-word.ts'
import { go } from '../address.ts'
import { onBook, openedBook } from '../book.ts'
import { reloadList } from '../list/record-list.ts'
import { tell } from '../../page/toast.ts'

export type Verified = NonNullable<CapabilityOutput<'bundle:verify'>['result']>
export type Trial = NonNullable<CapabilityOutput<'bundle:import'>['result']>

export interface ImportChoice {
  readonly mode: 'merge' | 'replace'
  /** Kinds that shall come in; undefined for all. */
  readonly kinds: readonly string[] | undefined
  readonly passphrase: string
  /** Takes the approvals of the bundle over; otherwise its owner's decisions are asked again here. */
  readonly keepsDecisions: boolean
}

export type BundleStep =
  | { readonly step: 'verifying' | 'applying' }
  | { readonly step: 'sealed'; readonly error?: DaybookError }
  | { readonly step: 'refused'; readonly error: DaybookError }
  | { readonly step: 'tried'; readonly verified: Verified; readonly trial: Trial }

export interface OpenBundle {
  readonly file: File
  readonly choice: ImportChoice
  readonly at: BundleStep
}

/** The open bundle. */
export const openBundle = signal<OpenBundle | undefined>(undefined)
/** The progress of its import, 0 to 1. */
export const bundleShare = signal(0)

const beginningBytes = 4096
let turn = 0
/** Aborts when the bundle is closed. */
let table = new AbortController()

/** True if a file declares itself a bundle. */
export async function isBundleFile(file: File): Promise<boolean> {
  const beginning = await file.slice(0, beginningBytes).text()
  return /"format"\s*:\s*"kstar-bundle/.test(beginning)
}

/** Opens a bundle: verifies it and tries the import without a change. */
export async function tryBundle(file: File): Promise<void> {
  go({ view: 'bundles', id: undefined })
  await tryAgain(file, {
    mode: 'merge',
    kinds: undefined,
    passphrase: '',
    keepsDecisions: false,
  })
}

/** The same bundle with another choice. */
export async function changeChoice(change: Partial<ImportChoice>): Promise<void> {
  const now = openBundle.peek()
  if (now) await tryAgain(now.file, { ...now.choice, ...change })
}

export function closeBundle(): void {
  turn += 1
  table.abort()
  openBundle.value = undefined
}

async function tryAgain(file: File, choice: ImportChoice): Promise<void> {
  const mine = ++turn
  table.abort()
  table = new AbortController()
  const show = (at: BundleStep) => {
    if (mine === turn) openBundle.value = { file, choice, at }
  }
  bundleShare.value = 0
  show({ step: 'verifying' })
  const opening = choice.passphrase === '' ? {} : { passphrase: choice.passphrase }
  try {
    const current = await openedBook(table.signal)
    const verified = await current.verify(file, opening)
    if (mine !== turn) return
    const trial = await importFile(file, choice, true)
    show({ step: 'tried', verified, trial })
  } catch (caught) {
    const error = asDaybookError(caught)
    const isAsking = error.code === 'wrong-passphrase' || error.details['path'] === 'passphrase'
    if (!isAsking || error.code === 'not-encrypted') show({ step: 'refused', error })
    else show(choice.passphrase === '' ? { step: 'sealed' } : { step: 'sealed', error })
  }
}

async function importFile(
  file: File,
  { mode, kinds, passphrase, keepsDecisions }: ImportChoice,
  isTrial: boolean,
): Promise<Trial> {
  const current = await openedBook(table.signal)
  const { bundle } = await current.import(file, {
    name: file.name,
    mode,
    ...(isTrial ? { dryRun: true } : {}),
    ...(kinds ? { kinds: [...kinds] } : {}),
    ...(passphrase === '' ? {} : { passphrase }),
    ...(keepsDecisions ? { decisions: 'keep' as const } : {}),
  })
  if (!bundle) throw new TypeError('The file is no longer a valid bundle.')
  return bundle
}

/** Applies the bundle as it was tried. */
export async function applyBundle(): Promise<void> {
  const now = openBundle.peek()
  if (now?.at.step !== 'tried') return
  const mine = ++turn
  bundleShare.value = 0
  openBundle.value = { ...now, at: { step: 'applying' } }
  try {
    const done = await importFile(now.file, now.choice, false)
    if (mine === turn) openBundle.value = undefined
    await reloadList({ keepPlace: true })
    tell(`Bundle imported: ${trialWords(done)}.`)
  } catch (error) {
    if (mine !== turn || isDaybookError(error, 'aborted')) return
    openBundle.value = { ...now, at: { step: 'refused', error: asDaybookError(error) } }
  }
}

/** The effect of an import in words: `12 new, 3 changed`. */
export function trialWords({
  imported,
  updated,
  unchanged,
  forgotten,
  conflictCount: conflicts,
  lowered = 0,
  withheld = 0,
  tokensSkipped = 0,
}: Trial): string {
  const parts = [
    [imported, 'new'],
    [updated, 'changed'],
    [forgotten, 'forgotten'],
    [unchanged, 'here already'],
    [lowered, 'to approve again'],
    [withheld, 'left out because locked'],
    [tokensSkipped, 'tokens left out'],
  ] as const
  const words = parts
    .filter(([count]) => count > 0)
    .map(([count, word]) => `${count.toLocaleString()} ${word}`)
  if (conflicts > 0) words.push(countOf(conflicts, 'conflict'))
  return words.join(', ') || 'nothing to do'
}

onBook('progress', ({ capability, done, total }) => {
  if (capability.startsWith('bundle:') && capability !== 'bundle:export')
    bundleShare.value = total > 0 ? done / total : 0
})
