// The views of this room, which the page fetches together when one of them is first shown.
export { SyncView } from './sync-view.tsx'
export { TaskView } from './task-view.tsx'
