// The views of this room. The page loads them together when one is first shown.
export { AccessLogView } from './access-log-view.tsx'
export { ApprovalView } from './approval-view.tsx'
export { MemoryView } from './memory-view.tsx'
export { PolicyView } from './policy-view.tsx'
