// Tells the runner of each file and test that begins or ends, so that it knows a run that stands still from one that works.
import type { Reporter, TestCase, TestModule, TestProject, TestSpecification } from 'vitest/node'
import { tellProgress } from './support/progress.ts'

const tellFile = (module: TestModule, state: string, ms?: number) =>
  tellProgress({
    project: module.project.name,
    file: module.moduleId,
    state,
    ...(ms !== undefined && { ms }),
  })

/** Milliseconds of a file: its worker, its imports, its tests and hooks. */
function timeOf(module: TestModule): number {
  const took = module.diagnostic()
  const before = took.environmentSetupDuration + took.prepareDuration + took.setupDuration
  return before + took.collectDuration + took.duration
}

const tellTest = (test: TestCase) =>
  tellProgress({
    project: test.project.name,
    file: test.module.moduleId,
    test: test.fullName,
    state: test.result().state,
  })

type Orchestrator =
  NonNullable<TestProject['browser']>['state']['orchestrators'] extends Map<string, infer Page> ? Page : never

/** The same page, which tells what it was given and has returned: its files report their own end earlier than it does. */
function tellingOfFiles(page: Orchestrator, project: string): Orchestrator {
  const createTesters: Orchestrator['createTesters'] = async (options) => {
    const tell = (state: string) => {
      for (const { filepath } of options.files) tellProgress({ project, file: filepath, state })
    }
    tell('given')
    await page.createTesters(options)
    tell('returned')
  }
  return new Proxy(page, {
    get: (target, name) => (name === 'createTesters' ? createTesters : Reflect.get(target, name)),
  })
}

/** The default export, because Vitest takes no other from a reporter that is named on the command line. */
export default class ProgressReporter implements Reporter {
  onInit(): void {
    tellProgress({ step: 'Vitest is starting' })
  }
  onBrowserInit({ name, browser }: TestProject): void {
    if (!browser) return
    const { orchestrators } = browser.state
    const set = orchestrators.set.bind(orchestrators)
    orchestrators.set = (session, page) => set(session, tellingOfFiles(page, name))
  }
  onTestRunStart(specifications: readonly TestSpecification[]): void {
    tellProgress({ step: 'Vitest is starting', isOver: true })
    for (const { project, moduleId } of specifications)
      tellProgress({ project: project.name, file: moduleId, state: 'planned' })
  }
  onTestModuleQueued(module: TestModule): void {
    tellFile(module, 'queued')
  }
  onTestModuleCollected(module: TestModule): void {
    tellFile(module, 'collected')
  }
  onTestModuleStart(module: TestModule): void {
    tellFile(module, 'running')
  }
  onTestModuleEnd(module: TestModule): void {
    tellFile(module, 'ended', timeOf(module))
  }
  onTestCaseReady(test: TestCase): void {
    tellTest(test)
  }
  onTestCaseResult(test: TestCase): void {
    tellTest(test)
  }
  onHookStart(): void {
    tellProgress({})
  }
  onHookEnd(): void {
    tellProgress({})
  }
  onUserConsoleLog(): void {
    tellProgress({})
  }
  onTestRunEnd(): void {
    tellProgress({ step: 'closing what Vitest started' })
  }
}
