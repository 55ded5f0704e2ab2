// What is used of Vitest's own client in the page, which comes without types.
declare module '@vitest/browser/client' {
  export const client: { ws: WebSocket }
}
