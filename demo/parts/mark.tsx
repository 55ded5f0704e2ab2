// The state of a record as a shape and a word: a round tick, an angular cross, an open ring. And the signs of its marks.
import { type MarkName, marks } from '../kind/mark.ts'
import { signsOf } from '../kind/marked.ts'
import type { Marks, Sensitivity } from '../kind/record-kind.ts'
import { Icon } from './inline.tsx'

interface Shape {
  readonly path: string
  readonly dashes?: string
}

const ring = 'M7 .8a6.2 6.2 0 1 0 0 12.4A6.2 6.2 0 0 0 7 .8Z'
/** Four steps: bars for reached ones, dots for the others. */
const level = (height: number): Shape => ({
  path: [1, 2, 3, 4].map((step) => `M${step * 3.6 - 2} 12.6v${step > height ? -0.01 : -step * 2.9}`).join(''),
})

const shapes: Readonly<Record<MarkName, Shape>> = {
  unarchived: { path: 'M2.5 1h9v12L7 10l-4.5 3z' },
  archived: { path: 'M1 1.5h12v3.5H1zM2.2 5v7.5h9.6V5M5.3 8h3.4' },
  succeeded: { path: `${ring}M4.2 7.2l2 2 3.7-4.2` },
  failed: { path: 'M1.3 1.3h11.4v11.4H1.3zM4.5 4.5l5 5M9.5 4.5l-5 5' },
  open: { path: ring, dashes: '2.6 2.3' },
  held: {
    path: 'M.8 7S3 2.8 7 2.8 13.2 7 13.2 7 11 11.2 7 11.2.8 7 .8 7ZM7 5.3a1.7 1.7 0 1 0 0 3.4 1.7 1.7 0 0 0 0-3.4Z',
  },
  expired: { path: `${ring}M7 3.5V7l2.4 1.6` },
  foreign: { path: `${ring}M4 9l3-4 3 4` },
  verified: {
    path: 'M7 .8l5.4 2v4c0 3.2-2.3 5.4-5.4 6.4C3.9 12.2 1.6 10 1.6 6.8v-4ZM4.5 6.8l1.9 1.9 3.3-3.7',
  },
  unverified: { path: 'M7 .8l5.4 2v4c0 3.2-2.3 5.4-5.4 6.4C3.9 12.2 1.6 10 1.6 6.8v-4Z' },
  superseded: { path: 'M4.5 4.5h8.2v8.2H4.5zM1.3 9.5V1.3h8.2' },
  novice: level(1),
  competent: level(2),
  proficient: level(3),
  expert: level(4),
  waiting: { path: 'M3 1h8M3 13h8M4 1c0 4 6 4 6 6s-6 2-6 6M10 1c0 4-6 4-6 6s6 2 6 6' },
  running: { path: `${ring}M5.3 4.2l4.4 2.8-4.4 2.8z` },
  done: { path: 'M1.5 7.5l3.5 3.5L12.5 3.5' },
  sent: { path: 'M1 7l12-6-4.5 12-2.2-4.6zM6.3 8.4L13 1' },
  refused: { path: 'M4 .8h6L13.2 4v6L10 13.2H4L.8 10V4zM4.5 7h5' },
  dead: { path: 'M1.3 1.3h11.4v11.4H1.3zM7 3.8v4M7 10v.1' },
  active: { path: 'M4.5 4a3 3 0 1 0 0 6 3 3 0 0 0 0-6ZM7.5 7h6M11 7v2.3M13 7v1.6' },
  pending: { path: ring + 'M4.2 7h.1M7 7h.1M9.8 7h.1', dashes: '2.6 2.3' },
  revoked: { path: ring + 'M2.7 2.7l8.6 8.6' },
  definition: {
    path: 'M4.5 1.3C2.5 1.3 4 7 1.3 7 4 7 2.5 12.7 4.5 12.7M9.5 1.3C11.5 1.3 10 7 12.7 7 10 7 11.5 12.7 9.5 12.7',
  },
  person: {
    path: 'M7 .8a2.9 2.9 0 1 0 0 5.8A2.9 2.9 0 0 0 7 .8ZM1.5 13.2c0-3 2.4-4.6 5.5-4.6s5.5 1.6 5.5 4.6',
  },
  agent: { path: 'M2 4.5h10v8H2zM7 4.5V1.5M5 8v.8M9 8v.8M.7 7.5v2M13.3 7.5v2' },
  approve: { path: `${ring}M4.2 7.2l2 2 3.7-4.2` },
  reject: { path: 'M1.3 1.3h11.4v11.4H1.3zM4.5 4.5l5 5M9.5 4.5l-5 5' },
  noVote: { path: ring, dashes: '2.6 2.3' },
  approved: { path: 'M1.3 4.5h11.4v8.2H1.3zM4 4.5V1.3h6v3.2M4.6 8.4l1.7 1.7 3.2-3.4' },
  rejected: { path: 'M1.3 4.5h11.4v8.2H1.3zM4 4.5V1.3h6v3.2M5.2 6.8l3.6 3.6M8.8 6.8l-3.6 3.6' },
  proposed: { path: 'M1.3 4.5h11.4v8.2H1.3zM7 8.5V1M4.5 3.2L7 .8l2.5 2.4' },
  present: { path: `${ring}M7 5.2a1.8 1.8 0 1 0 0 3.6 1.8 1.8 0 0 0 0-3.6Z` },
  stale: { path: `${ring}M7 3.5V7l2.4 1.6`, dashes: '2.6 2.3' },
  noWay: { path: `${ring}M2.9 11.1l8.2-8.2` },
  stopping: { path: `${ring}M4.8 4.8h4.4v4.4H4.8z` },
  episode: { path: 'M2.5 1h9v12l-4.5-2.6L2.5 13ZM4.8 4.5h4.4M4.8 7h4.4' },
  message: { path: 'M1 1.8h12v8.2H6.5l-3 2.8V10H1z' },
}

export function Mark({ mark, word = false }: { mark: MarkName; word?: boolean }) {
  const { path, dashes } = shapes[mark]
  return (
    <span class={`mark mark-${marks[mark].tone}`}>
      <svg width="14" height="14" viewBox="0 0 14 14" aria-hidden="true" focusable="false">
        <path d={path} stroke-dasharray={dashes} />
      </svg>
      <span class={word ? undefined : 'hidden'}>{marks[mark].word}</span>
    </span>
  )
}

interface MarkSignsProps {
  readonly marks: Marks
  readonly sensitivity?: Sensitivity | undefined
  readonly word?: boolean
}

export function MarkSigns({ marks, sensitivity, word = false }: MarkSignsProps) {
  const signs = signsOf(marks, sensitivity)
  if (signs.length === 0) return null
  return (
    <span class="mark-signs">
      {signs.map(({ icon, word: text, short }) => (
        <span key={icon} class="mark-sign" title={text}>
          <Icon name={icon} size={12} />
          {short !== undefined && !word && <span aria-hidden="true">{short}</span>}
          <span class={word ? undefined : 'hidden'}>{text}</span>
        </span>
      ))}
    </span>
  )
}
