// A run as one HTML file: it needs no script, no network and no Daybook, and its policy allows none.
// Invariant: each text of the book is escaped, and it has only what the picture has.
import { htmlText } from '../../wording/html-text.ts'
import { costWord, longDuration } from '../../wording/run-word.ts'
import { countOf, countWord, oneLine, shareWord } from '../../wording/text-word.ts'
import type { Entry, Picture, PictureRow } from './picture.ts'
import { isSensitive } from './redacted-run.ts'
import { shareStyle } from './share-style.ts'

export interface ShareOptions {
  /** The instant of the file. */
  readonly savedAt: string
  /** False: the picture is of a run without the texts of sensitive records. */
  readonly includesSensitive: boolean
  /** The number of entries of the run, if the picture does not have all. */
  readonly all?: number
}

/** The longest text in the file, and the shortest that a long run cuts a text to. */
const mostText = 20_000
const leastText = 500
/** Characters of a file with many long texts. */
const mostCharacters = 10_000_000

const policy = "default-src 'none'; style-src 'unsafe-inline'"

export function shareRun(picture: Picture, options: ShareOptions): string {
  const name = htmlText(picture.name) || 'A run'
  const most = Math.round(Math.max(leastText, Math.min(mostText, mostCharacters / picture.rows.length)))
  return [
    '<!doctype html>',
    '<html lang="en">',
    '<head>',
    '<meta charset="utf-8">',
    `<meta http-equiv="Content-Security-Policy" content="${policy}">`,
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    '<meta name="color-scheme" content="light dark">',
    '<meta name="referrer" content="no-referrer">',
    `<title>${name} · run</title>`,
    `<style>${shareStyle}</style>`,
    '</head>',
    '<body>',
    '<main>',
    `<h1 dir="auto">${name}</h1>`,
    notes(picture, options),
    totals(picture),
    errors(picture),
    tools(picture),
    '<h2>Steps</h2>',
    `<p class="faint">${hint(picture)}</p>`,
    `<ol class="steps">${picture.rows.map((row) => step(row, picture, { ...options, most })).join('\n')}</ol>`,
    '</main>',
    `<footer><p class="faint">Saved from Daybook at ${instant(options.savedAt)}. Known forms of secrets are replaced by marks.</p></footer>`,
    '</body>',
    '</html>',
    '',
  ].join('\n')
}

const number = (value: number) => htmlText(countWord(value))

/** `2026-01-31 10:00:01 UTC`: the file does not know where it is read. */
function instant(at: string): string {
  const ms = Date.parse(at)
  if (Number.isNaN(ms)) return htmlText(at)
  const text = new Date(ms).toISOString()
  return `<time datetime="${text}">${text.slice(0, 19).replace('T', ' ')} UTC</time>`
}

function notes({ rows }: Picture, { includesSensitive, all = rows.length }: ShareOptions): string {
  const sensitive = rows.filter(({ step: one }) => isSensitive(one)).length
  const sentences = [
    all > rows.length && `This file has ${number(rows.length)} of ${number(all)} entries of the run.`,
    sensitive > 0 &&
      (includesSensitive
        ? `This file includes the texts of ${countOf(sensitive, 'sensitive record')}. Share it with care.`
        : `The texts of ${countOf(sensitive, 'sensitive record')} are left out.`),
  ]
  return sentences.map((one) => (one === false ? '' : `<p class="note">${one}</p>`)).join('')
}

function totals({ rows, line, hasTimes, workMs, tokens, cost, agents }: Picture): string {
  const steps = rows.filter(({ step: one }) => one.tool !== undefined)
  const failed = steps.filter(({ step: one }) => one.isFailed).length
  const times = rows.map(({ step: one }) => Date.parse(one.entry.timestamp))
  const [first = 0, last = 0] = [least(times), -least(times.map((ms) => -ms))]
  const facts: readonly (readonly [string, string | undefined])[] = [
    [
      'Steps',
      `${number(steps.length)}${failed > 0 ? ` <span class="bad">(${number(failed)} failed)</span>` : ''}`,
    ],
    ['Messages', rows.length > steps.length ? number(rows.length - steps.length) : undefined],
    ['Duration', hasTimes && rows.length > 0 ? longDuration(last - first) : undefined],
    ['Measured time', workMs === undefined ? undefined : longDuration(workMs)],
    ['Idle', line.stalls > 0 ? `${longDuration(line.idleMs)} (${countOf(line.stalls, 'stall')})` : undefined],
    ['Started', hasTimes && rows.length > 0 ? instant(new Date(first).toISOString()) : undefined],
    ['Tokens', tokens === undefined ? undefined : number(tokens)],
    ['Cost', cost === undefined ? undefined : costWord(cost)],
    [agents.length > 1 ? 'Agents' : 'Agent', agents.map((one) => `<bdi>${htmlText(one)}</bdi>`).join(', ')],
  ]
  const shown = facts.map(([name, value]) =>
    value === undefined ? '' : `<div><dt>${name}</dt><dd>${value}</dd></div>`,
  )
  return `<dl>${shown.join('')}</dl>`
}

const least = (values: readonly number[]) => values.reduce((a, b) => Math.min(a, b), Infinity)

function errors({ rows }: Picture): string {
  const failed = rows.filter(({ step: one }) => one.isFailed)
  if (failed.length === 0) return ''
  const lines = failed.map(
    ({ place, step: one }) =>
      `<li><a href="#step-${place + 1}">Step ${number(place + 1)}</a> <code dir="auto">${htmlText(one.lead)}</code> <span class="bad" dir="auto">${words(one)}</span></li>`,
  )
  return `<h2>${countOf(failed.length, 'error')}</h2><ol>${lines.join('\n')}</ol>`
}

function tools({ tools: all, isTimed }: Picture): string {
  if (all.length === 0) return ''
  const rows = all.map(
    ({ tool, steps, failed, ms, share }) =>
      `<tr><th scope="row"><code dir="auto">${htmlText(tool)}</code></th><td class="number">${number(steps)}</td><td class="number">${number(failed)}</td><td class="number">${isTimed ? longDuration(ms) : '–'}</td><td class="number">${shareWord(share)}</td></tr>`,
  )
  return `<h2>Tools</h2><table><thead><tr><th scope="col">Tool</th><th scope="col">Steps</th><th scope="col">Failed</th><th scope="col">Time</th><th scope="col">Share of ${isTimed ? 'time' : 'steps'}</th></tr></thead><tbody>${rows.join('\n')}</tbody></table>`
}

function hint({ hasTimes, line }: Picture): string {
  const bars = hasTimes
    ? `Filled bar: measured duration. Hollow bar: time since the previous entry.${line.isCut ? ' Long stalls are drawn short.' : ''}`
    : 'The file that this run came from has no times of day; bars are measured durations.'
  return `Press a step to open it. The browser’s search finds text in closed steps too. ${bars}`
}

interface StepOptions extends ShareOptions {
  readonly most: number
}

function step(row: PictureRow, { hasTimes }: Picture, { includesSensitive, most }: StepOptions): string {
  const { step: one, bar, place, level, under, follows, agent } = row
  const isLeftOut = isSensitive(one) && !includesSensitive
  const relations = [
    agent !== undefined && `<bdi>${htmlText(agent)}</bdi>`,
    isSensitive(one) && 'sensitive',
    under !== undefined && `under step ${number(under + 1)}`,
    follows !== undefined && `follows step ${number(follows + 1)}`,
    hasTimes && bar.stall && `after idle ${longDuration(bar.stall.ms)}`,
  ].filter((word) => typeof word === 'string')
  const lead = `${one.isFailed ? '<strong class="bad">✕ Failed</strong> ' : ''}<code dir="auto">${htmlText(one.lead)}</code>`
  const mostLevel = Math.min(8, level)
  return [
    `<li id="step-${place + 1}"><details><summary>`,
    `<span class="faint n">${number(place + 1)}</span>`,
    `<span class="words" style="--level:${mostLevel}">${lead} <bdi class="${one.isFailed ? 'bad' : ''}">${isLeftOut ? 'Text left out' : words(one)}</bdi>`,
    relations.length > 0 ? ` <span class="faint">${relations.join(' · ')}</span>` : '',
    '</span>',
    `<span class="faint number">${one.tool === undefined || bar.ms === undefined ? '' : `${bar.isMeasured ? '' : '≤ '}${longDuration(bar.ms)}`}</span>`,
    `<span class="faint number tokens">${one.tokens === undefined ? '' : `${number(one.tokens)} tokens`}</span>`,
    `<span class="faint number cost">${one.cost === undefined ? '' : costWord(one.cost)}</span>`,
    waterfall(row, hasTimes),
    '</summary><div class="body">',
    `<p class="faint">${hasTimes ? instant(one.entry.timestamp) : ''}</p>`,
    isLeftOut ? '<p>This record is sensitive: its text is left out.</p>' : blocks(one.entry, most),
    '</div></details></li>',
  ].join('')
}

const wordsLength = 240
const words = ({ words: text }: PictureRow['step']) => htmlText(oneLine(text, wordsLength))

function waterfall({ bar, step: one }: PictureRow, hasTimes: boolean): string {
  if (!hasTimes && bar.ms === undefined) return '<span class="line"></span>'
  const percent = (share: number) => (Math.max(0, Math.min(1, share)) * 100).toFixed(2)
  const look = `${bar.isMeasured ? '' : 'most'}${one.isFailed ? ' failed' : ''}`
  return `<span class="line"><i class="${look}" style="left:${percent(Math.min(0.995, bar.from))}%;width:${percent(bar.length)}%"></i></span>`
}

/** The texts of an entry, the result of a failed step first. */
function blocks(entry: Entry, most: number): string {
  return textsOf(entry)
    .map(([name, value]) => {
      const text = typeof value === 'string' ? value : (JSON.stringify(value, null, 2) ?? '')
      if (text === '' || text === '{}' || text === '[]') return ''
      return `<h3>${htmlText(oneLine(name, wordsLength))}</h3><pre dir="auto">${htmlText(text.slice(0, most))}</pre>${cut(text.length - most)}`
    })
    .join('')
}

function textsOf(entry: Entry): readonly (readonly [string, unknown])[] {
  if (entry.kind === 'message') return [['Message', entry.content]]
  const { situation, task, action, result } = entry
  const before = [
    ['Goal', task.goal],
    ['Constraints', task.constraints],
    ['Context', situation.context],
    ['Parameters', action.parameters],
  ] as const
  const after = [
    ...Object.entries(result?.outcome ?? {}),
    ['Side effects', result?.side_effects ?? []] as const,
  ]
  return result?.success === false ? [...after, ...before] : [...before, ...after]
}

const cut = (over: number) =>
  over > 0
    ? `<p class="note">Cut here: ${countOf(over, 'more character')} of this text ${over === 1 ? 'is' : 'are'} in the book.</p>`
    : ''
