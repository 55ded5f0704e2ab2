// Gzip by the browser; undefined where it has none.
export const browserGzip =
  typeof CompressionStream === 'undefined'
    ? undefined
    : async (text: string): Promise<Uint8Array<ArrayBuffer>> => {
        const stream = new Blob([text]).stream().pipeThrough(new CompressionStream('gzip'))
        return new Uint8Array(await new Response(stream).arrayBuffer())
      }
