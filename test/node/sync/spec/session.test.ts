// Section 12 of the specification, replayed: each request goes to a real mirror behind the real HTTP app, and what comes
// back is what stands there. The mirror's clock is set by the answers; its epochs and marks repeat.
import { expect, it } from 'vitest'
import { specBlocks } from '../../../support/server/spec-page.ts'
import { createHttpMirror } from './http-mirror.ts'

it('M2 M4 M10 M11 N4 N5 the session of the specification is what a mirror answers, frame by frame', async () => {
  const mirror = createHttpMirror()
  const blocks = specBlocks().filter(({ section }) => section === 12)
  let backup: ReturnType<typeof mirror.copy> = []
  let request: unknown
  let answers = 0
  for (const { info, text } of blocks) {
    if (info === 'mirror: copy') backup = mirror.copy()
    else if (info === 'mirror: restore') mirror.restore(backup)
    else if (info === 'json request') {
      expect(request, 'a request without an answer').toBeUndefined()
      request = JSON.parse(text)
    } else {
      const wanted = JSON.parse(text) as { serverTime?: string; retry?: boolean }
      if (wanted.serverTime) mirror.clock.nowMs = Date.parse(wanted.serverTime)
      const { status, body } = await mirror.post(request)
      expect(body).toEqual(wanted)
      expect({ info, status }).toEqual(
        status === 200 ? { info: 'json answer', status } : { info: 'json refusal', status: 409 },
      )
      request = undefined
      answers += 1
    }
  }
  expect(answers).toBe(15)
})
