// `daybook/langgraph`: stores LangGraph's checkpoints and its long-term store in a book.
export { DaybookSaver } from './saver.ts'
export { DaybookStore } from './store.ts'
