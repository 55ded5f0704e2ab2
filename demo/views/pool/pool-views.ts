// The views of this room. The page loads them together when one is first shown.
export { PoolAuditView } from './audit-view.tsx'
export { ClawView } from './claw-view.tsx'
export { ProposalView } from './proposal-view.tsx'
