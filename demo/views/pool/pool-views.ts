// The views of this room, which the page fetches together when one of them is first shown.
export { PoolAuditView } from './audit-view.tsx'
export { ClawView } from './claw-view.tsx'
export { ProposalView } from './proposal-view.tsx'
