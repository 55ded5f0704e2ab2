// Where what came in from a file is found: the view of what most of it became.

/** One of the views that files come into. */
export type ImportView = 'messages' | 'traces' | 'perceptions' | 'facts'

const views: Readonly<Record<string, ImportView>> = {
  mem0: 'perceptions',
  markdown: 'facts',
  'swe-agent': 'traces',
}

/** The view for a format; chats, of which there are many, are messages. */
export function viewOfFormat(format: string): ImportView {
  return views[format] ?? 'messages'
}
