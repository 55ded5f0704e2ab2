// `daybook/message`: a window uses the book of another window.
export {
  answerMessages,
  type AnswerMessagesOptions,
  type MessageDoor,
  type MessageSource,
} from './answer-messages.ts'
export {
  type BookConnection,
  connectBook,
  type ConnectOptions,
  type MessageCallOptions,
  type MessageTarget,
} from './connect-book.ts'
export { DaybookError, type ErrorCode, isDaybookError } from '../../core/errors.ts'
