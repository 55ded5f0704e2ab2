// Notifies the services that run beside the calls of an engine, and closes them with the engine.
// Invariant: services are notified in the order in which they were added, and closed in reverse order, so that a
// service outlives the services that may use it.
import type { CapabilityEffect } from '../core/capability/capability.ts'
import type { Changed, Service } from '../core/capability/chapter.ts'

/** Notifies each service. Services must not throw: an exception skips the services after it. */
export interface Lifecycle {
  /** Adds `service`, and returns it. */
  add<Added extends Service>(service: Added): Added
  /** Call it when the network is back, the page became visible, or work is due. */
  wake(): void
  /** Call it after a commit, before the promises of its writes resolve. */
  committed(): void
  /** Call it when the engine is idle and all writes are indexed. */
  idle(): void
  /** Call it when a call starts. */
  called(effect: CapabilityEffect): void
  /** Call it when a call succeeded. For an error, call `failed`. */
  answered(effect: CapabilityEffect): void
  /**
   * Call it for a record that a sync changed, after the commit. For the records of a call, `wrote` does it.
   */
  changed(id: string, kind: string): void
  /**
   * Call it after a commit, with the records that a call here changed. It calls `changed` for each record
   * first. The call waits for the returned promise.
   */
  wrote(changed: readonly Changed[]): Promise<unknown> | undefined
  /** Call it when a call, a task or background work failed. */
  failed(error: unknown): void
  /** `isCertain`: true if the faults did change; false (the default) if they may have changed. */
  stateChanged(isCertain?: boolean): void
  /** The faults of all services, one text for each. */
  degraded(): string[]
  isClosed(): boolean
  close(): void
}

export function createLifecycle(): Lifecycle {
  const services: Service[] = []
  let closed = false
  return {
    add(service) {
      services.push(service)
      return service
    },
    wake() {
      for (const service of services) service.wake?.()
    },
    committed() {
      for (const service of services) service.committed?.()
    },
    idle() {
      for (const service of services) service.idle?.()
    },
    called(effect) {
      for (const service of services) service.called?.(effect)
    },
    answered(effect) {
      for (const service of services) service.answered?.(effect)
    },
    changed(id, kind) {
      for (const service of services) service.changed?.(id, kind)
    },
    wrote(changed) {
      for (const { id, kind } of changed) for (const service of services) service.changed?.(id, kind)
      const pending = services.flatMap((service) => service.wrote?.(changed) ?? [])
      return pending.length > 0 ? Promise.all(pending) : undefined
    },
    failed(error) {
      for (const service of services) service.failed?.(error)
    },
    stateChanged(isCertain = false) {
      for (const service of services) service.stateChanged?.(isCertain)
    },
    degraded: () => services.flatMap((service) => service.degraded?.() ?? []),
    isClosed: () => closed,
    close() {
      if (closed) return
      closed = true
      for (const service of services.toReversed()) service.close?.()
    },
  }
}
