// Where what came in from a file is found: the room of what most of it became.

const views: Readonly<Record<string, string>> = {
  mem0: 'perceptions',
  markdown: 'facts',
  'swe-agent': 'traces',
}

/** The view for a format; chats, of which there are many, are messages. */
export function viewOfFormat(format: string): string {
  return views[format] ?? 'messages'
}
