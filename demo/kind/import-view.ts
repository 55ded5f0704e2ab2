// The view of an imported file's records.

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
