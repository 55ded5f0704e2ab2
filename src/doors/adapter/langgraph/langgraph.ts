// `daybook/langgraph`: checkpoints and the long-term store of LangGraph in a book.
export { DaybookSaver } from './saver.ts'
export { DaybookStore } from './store.ts'
