// `daybook/langgraph`: where graphs of LangGraph keep their checkpoints and what they remember across threads.
export { DaybookSaver } from './saver.ts'
export { DaybookStore } from './store.ts'
