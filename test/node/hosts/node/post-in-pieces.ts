// A client that sends a body in pieces, each when the one before has gone, as over a slow line.
import { type Agent, request } from 'node:http'

const pieceBytes = 1_500_000

export interface InPieces {
  readonly agent: Agent
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
}

/** The status that came, and whether all had been sent by then. */
export function postInPieces(
  url: string,
  { agent, headers, body }: InPieces,
): Promise<{ status: number | undefined; wasSent: boolean }> {
  return new Promise((resolve, reject) => {
    const sent = request(
      url,
      { agent, method: 'POST', headers: { ...headers, 'transfer-encoding': 'chunked' } },
      (response) => {
        const wasSent = sent.writableFinished
        response.resume().on('end', () => resolve({ status: response.statusCode, wasSent }))
        response.on('error', reject)
      },
    )
    sent.on('error', reject)
    const send = (from: number): void => {
      const to = from + pieceBytes
      if (to >= body.length) sent.end(body.subarray(from))
      else sent.write(body.subarray(from, to), () => setImmediate(send, to))
    }
    send(0)
  })
}
