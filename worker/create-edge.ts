// `daybook/edge`. A placeholder until the app lands.
export function createEdge(): { fetch(request: Request): Response } {
  return { fetch: () => Response.json({ ok: true }) }
}
