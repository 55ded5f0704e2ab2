// `POST /v1/books/:book/messages`: answers a P3394 message of either form with a message of the same form. An error
// answer also has the HTTP status and the fields of the error.
import { Hono } from 'hono'
import { DaybookError, isDaybookError } from '../../../core/errors.ts'
import { checkJson } from '../../../core/json/json.ts'
import { isJsonObject } from '../../../core/json/path.ts'
import type { BookTypes } from '../../../edge/edge-env.ts'
import { type MessageAnswer, answerEitherForm } from '../../p3394/answer-agent.ts'
import { jsonBody } from '../request/json-body.ts'
import { transportOf } from '../request/guard.ts'
import { logFault, respondWith } from '../request/problem.ts'

const body = jsonBody({
  capability: 'p3394:message',
  parse(value) {
    checkJson(value)
    return value
  },
})

export const messageRoute = new Hono<BookTypes>().post('/messages', body, async (c) => {
  const book = c.get('book')
  const transport = transportOf(c.req.url)
  const answer = await answerEitherForm(c.req.valid('json'), {
    now: () => Date.now(),
    newId: () => crypto.randomUUID(),
    admit: (id) => book.admit(id),
    async call(id, input, requestId) {
      try {
        return await book.call(id, input, { requestId, way: transport })
      } catch (error) {
        if (isDaybookError(error) && error.code !== 'internal') throw error
        logFault(isDaybookError(error) ? error : new DaybookError('internal', '', { cause: error }))
        throw new DaybookError('internal')
      }
    },
  })
  const error = errorOfAnswer(answer)
  if (!error) return c.json(answer, 200)
  const errorResponse = respondWith(c, error)
  const body = { ...answer, ...((await errorResponse.json()) as object) }
  return new Response(JSON.stringify(body), { status: errorResponse.status, headers: errorResponse.headers })
})

/** The error in an answer of either form (the newer one has `spec_version`); undefined for a response. */
function errorOfAnswer(answer: MessageAnswer): DaybookError | undefined {
  const isError = 'spec_version' in answer ? answer.kind === 'error' : answer.type === 'error'
  const [{ data }] = 'spec_version' in answer ? answer.payload.parts : answer.content
  if (!isError || !isJsonObject(data)) return undefined
  return DaybookError.from(data as unknown as DaybookError)
}
