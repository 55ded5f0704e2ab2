// A message of P3394 in either of its forms, answered in the form in which it came.
import { type AnswerEnvelope, answerEnvelope, isEnvelope } from './envelope.ts'
import { type AnswerMessage, answerMessage } from './message.ts'
import type { MessageCall } from './run-capability.ts'

export type AgentAnswer = AnswerMessage | AnswerEnvelope

export function answerAgent(given: unknown, at: MessageCall): Promise<AgentAnswer> {
  return isEnvelope(given) ? answerEnvelope(given, at) : answerMessage(given, at)
}

/** The same answer as an error: of what could not be sent, say. */
export function failedAnswer(answer: AgentAnswer, data: object): AgentAnswer {
  if (!('spec_version' in answer)) return { ...answer, type: 'error', content: [{ type: 'json', data }] }
  return { ...answer, kind: 'error', performative: 'error', payload: { parts: [{ type: 'json', data }] } }
}
