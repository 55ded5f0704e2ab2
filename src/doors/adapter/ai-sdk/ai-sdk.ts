// `daybook/ai-sdk`: the memory of a book for models of the AI SDK.
export { type RememberOptions, withDaybook } from './model.ts'
export { daybookTools, type RecalledNote, type RecallQuery } from './tools.ts'
