// Answers a P3394 message of either form in the same form.
import { type AnswerEnvelope, answerEnvelope, envelopeSender, isEnvelope } from './envelope.ts'
import { type AnswerMessage, answerMessage, messageSender } from './message.ts'
import type { MessageContext } from './run-capability.ts'

export type MessageAnswer = AnswerMessage | AnswerEnvelope

export function answerEitherForm(message: unknown, at: MessageContext): Promise<MessageAnswer> {
  return isEnvelope(message) ? answerEnvelope(message, at) : answerMessage(message, at)
}

/** The agent that a message of either form names as its sender; undefined without a valid name. */
export const senderOf = (message: unknown): string | undefined =>
  isEnvelope(message) ? envelopeSender(message) : messageSender(message)

/** Returns `answer` as an error with `data`, for example if the answer could not be sent. */
export function toErrorAnswer(answer: MessageAnswer, data: object): MessageAnswer {
  if (!('spec_version' in answer)) return { ...answer, type: 'error', content: [{ type: 'json', data }] }
  return { ...answer, kind: 'error', performative: 'error', payload: { parts: [{ type: 'json', data }] } }
}
