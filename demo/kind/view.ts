// The views of the inspector and the places of its rail. A place may have several views, as tabs.
import type { IconName } from './icon-shape.ts'

/** Every view, by its name in the address, with its name on the page. */
export const viewNames = {
  runs: 'Runs',
  traces: 'Traces',
  categories: 'Categories',
  activity: 'Activity',
  charts: 'Charts',
  recall: 'Hits',
  legs: 'Rankers',
  context: 'Context',
  facts: 'Facts',
  schemas: 'Schemas',
  perceptions: 'Perceptions',
  skills: 'Skills',
  messages: 'Messages',
  episodes: 'Episodes',
  profiles: 'Profiles',
  tasks: 'Tasks',
  approvals: 'Waiting for approval',
  memories: 'Memories',
  policies: 'Policies',
  accessLog: 'Access log',
  personas: 'Personas',
  days: 'Days',
  thoughts: 'Thoughts',
  collections: 'Collections',
  snapshots: 'Snapshots and backups',
  room: 'Room',
  pool: 'Proposals',
  poolFacts: 'Confirmed facts',
  poolClaws: 'Agents',
  poolAudit: 'Audit',
  tokens: 'Tokens',
  tokenTypes: 'Types',
  bundles: 'Bundles',
  sync: 'Sync and conflicts',
  storage: 'Storage',
} as const

export type View = keyof typeof viewNames

export interface Place {
  readonly name: string
  /** The name for narrow pages. */
  readonly short: string
  readonly icon: IconName
  /** The rail opens the first one. */
  readonly views: readonly [View, ...View[]]
  /** In the foot of a narrow page; others are behind `more`. */
  readonly isMain?: boolean
}

export const places: readonly Place[] = [
  { name: 'Runs', short: 'Runs', icon: 'runs', views: ['runs'], isMain: true },
  { name: 'Traces', short: 'Traces', icon: 'traces', views: ['traces', 'categories'], isMain: true },
  { name: 'Recall', short: 'Recall', icon: 'recall', views: ['recall', 'legs', 'context'], isMain: true },
  { name: 'Activity', short: 'Activity', icon: 'activity', views: ['activity'] },
  { name: 'Charts', short: 'Charts', icon: 'charts', views: ['charts'] },
  { name: 'Facts', short: 'Facts', icon: 'facts', views: ['facts', 'schemas'], isMain: true },
  { name: 'Perceptions', short: 'Perceptions', icon: 'perceptions', views: ['perceptions'] },
  { name: 'Skills', short: 'Skills', icon: 'skills', views: ['skills'] },
  {
    name: 'Conversations',
    short: 'Conversations',
    icon: 'conversations',
    views: ['messages', 'episodes', 'profiles', 'tasks'],
  },
  {
    name: 'Memories and approvals',
    short: 'Memories',
    icon: 'approvals',
    views: ['approvals', 'memories', 'policies', 'accessLog'],
  },
  {
    name: 'Continuity',
    short: 'Continuity',
    icon: 'days',
    views: ['personas', 'days', 'thoughts', 'collections', 'snapshots'],
  },
  { name: 'Room', short: 'Room', icon: 'room', views: ['room'] },
  { name: 'Pool', short: 'Pool', icon: 'pool', views: ['pool', 'poolFacts', 'poolClaws', 'poolAudit'] },
  { name: 'Tokens', short: 'Tokens', icon: 'tokens', views: ['tokens', 'tokenTypes'] },
  { name: 'Bundles', short: 'Bundles', icon: 'bundles', views: ['bundles'] },
  { name: 'Sync and conflicts', short: 'Sync', icon: 'sync', views: ['sync'] },
  { name: 'Storage', short: 'Storage', icon: 'storage', views: ['storage'] },
]

export function isView(name: string | null): name is View {
  return name !== null && Object.hasOwn(viewNames, name)
}

export function placeOf(view: View): Place {
  const place = places.find(({ views }) => views.includes(view))
  if (!place) throw new Error(`No place of the rail has the view ${view}.`)
  return place
}

/** Views where a record of any kind may be open. */
export function isOfRecall(view: View): boolean {
  return placeOf(view).icon === 'recall'
}

/** The views of imported records. */
export type ImportView = 'messages' | 'traces' | 'perceptions' | 'facts'

const views: Readonly<Record<string, ImportView>> = {
  mem0: 'perceptions',
  markdown: 'facts',
  'swe-agent': 'traces',
}

/** The view for a format. Most formats are chats, so messages. */
export function viewOfFormat(format: string): ImportView {
  return views[format] ?? 'messages'
}
