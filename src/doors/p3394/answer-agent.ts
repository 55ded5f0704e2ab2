// Answers a P3394 message of either form in the same form.
import { type AnswerEnvelope, answerEnvelope, isEnvelope } from './envelope.ts'
import { type AnswerMessage, answerMessage } from './message.ts'
import type { MessageCall } from './run-capability.ts'

export type AgentAnswer = AnswerMessage | AnswerEnvelope

export function answerAgent(message: unknown, at: MessageCall): Promise<AgentAnswer> {
  return isEnvelope(message) ? answerEnvelope(message, at) : answerMessage(message, at)
}

/** Returns `answer` as an error with `data`, for example if the answer could not be sent. */
export function failedAnswer(answer: AgentAnswer, data: object): AgentAnswer {
  if (!('spec_version' in answer)) return { ...answer, type: 'error', content: [{ type: 'json', data }] }
  return { ...answer, kind: 'error', performative: 'error', payload: { parts: [{ type: 'json', data }] } }
}
