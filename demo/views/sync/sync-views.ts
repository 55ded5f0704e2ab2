// The views of this room. The page loads them together when one is first shown.
export { SyncView } from './sync-view.tsx'
export { TaskView } from './task-view.tsx'
