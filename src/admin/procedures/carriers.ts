import { implement } from '@orpc/server'
import type { CarrierConfig } from '../../domain/delivery/carrier'
import { answerReport } from '../../domain/delivery/carrier-answers'
import { missing } from '../../domain/shared/error'
import { HOUR_MS } from '../../domain/shared/value'
import { REPORT_PREFIX } from '../../http/reports'
import type { ListedType } from '../../ports/carrier'
import * as administer from '../../usecases/administer'
import { explainRoute } from '../../usecases/explain-route'
import { listCarriers } from '../../usecases/inspect'
import { type TestReport, testCarrier } from '../../usecases/test-provider'
import { type AdminContext, type AdminServices, adminOf, countriesOf, OK } from '../context'
import { adminContract } from '../contract'

export function carrierProcedures(deps: AdminServices) {
  const os = implement(adminContract.carriers).$context<AdminContext>()
  const { store, clock, explain, carriers, carrierTypes } = deps
  const { carrierTimeoutMs, numbering } = deps.facts
  const savingOf = (context: AdminContext) => ({ ...adminOf(deps, context), ...carrierTypes })
  const testView = async (name: string, { outcome, latencyMs, steps, reports }: TestReport) => ({
    ...{ kind: outcome.kind, latencyMs, steps, reports, code: outcome.code },
    messageId: outcome.kind === 'accepted' ? outcome.carrierMessageId : undefined,
    explanation: outcome.code === undefined ? undefined : await explain(name, outcome.code),
  })
  return os.router({
    list: os.list.handler(async () => {
      const now = clock.now()
      const waiting = new Map((await store.read.jobs.carrierQueues(now)).map((queue) => [queue.carrier, queue.waiting]))
      const recent = await store.read.attempts.outcomesSince(now - HOUR_MS)
      return {
        providers: (await listCarriers(deps)).map((carrier) => {
          const limiter = carriers.limiters().get(carrier.name)
          return {
            ...carrier,
            channels: [...carrier.channels],
            concurrency: limiter?.concurrency ?? carrier.concurrency ?? 0,
            timeoutMs: carrier.timeoutMs ?? carrierTimeoutMs,
            inFlight: limiter?.inFlight ?? 0,
            waiting: waiting.get(carrier.name) ?? 0,
            recent: recent.get(carrier.name) ?? { accepted: 0, refused: 0, ambiguous: 0 },
          }
        }),
      }
    }),
    test: os.test.handler(async ({ input: { name, ...order } }) => {
      const carrier = (await carriers.named(name))?.carrier
      if (!carrier) throw missing('provider', name)
      return testView(name, await testCarrier({ ...deps, numbering }, carrier, order))
    }),
    answers: os.answers.handler(async ({ input: { name, hours } }) => {
      const counts = await store.read.attempts.answersSince(name, clock.now() - hours * HOUR_MS)
      const { failures, ...report } = answerReport(counts)
      const explained = failures.map(async (one) => ({ ...one, explanation: await explain(name, one.code) }))
      return { ...report, failures: await Promise.all(explained) }
    }),
    types: os.types.handler(() => ({ types: carrierTypes.list().map(typeView) })),
    add: os.add.handler(async ({ input: { name, type, channels, settings }, context }) => {
      const config = carrierTypes.configWith({ type, config: {} }, settings)
      const added = await administer.addCarrier(savingOf(context), { name, type, channels, config })
      return {
        reportUrl: `${context.origin}${REPORT_PREFIX}${name}`,
        reportSecret: added.newReportSecret,
        isVerifyToken: carrierTypes.showsVerifyToken(added.carrier),
      }
    }),
    settings: os.settings.handler(async ({ input: { name } }) => {
      const known = (await store.read.carriers.all()).find((carrier) => carrier.name === name)
      if (!known) throw missing('provider', name)
      const { type, settings, secrets } = carrierTypes.settingsOf(known)
      return { type: typeView(type), channels: [...known.channels], settings, secrets }
    }),
    change: os.change.handler(async ({ input: { name, channels, settings }, context }) => {
      await administer.changeCarrier(savingOf(context), name, (known) => ({
        channels,
        config: carrierTypes.configWith(known, settings),
      }))
      return OK
    }),
    compare: os.compare.handler(async ({ input: { name, channels, settings } }) => {
      const known = (await store.read.carriers.all()).find((carrier) => carrier.name === name)
      if (!known) throw missing('provider', name)
      return { differing: carrierTypes.differing(known, { channels, settings }) }
    }),
    pause: os.pause.handler(async ({ input, context }) => {
      await administer.pauseCarrier(adminOf(deps, context), input.name)
      return OK
    }),
    resume: os.resume.handler(async ({ input, context }) => {
      await administer.resumeCarrier(adminOf(deps, context), input.name)
      return OK
    }),
    rotate: os.rotate.handler(async ({ input: { name, channels, settings, test: order }, context }) => {
      const trial = (config: CarrierConfig) => carriers.trial(config)
      const { isRotated, ...report } = await administer.rotateCarrier(
        { ...savingOf(context), numbering, trial },
        name,
        {
          change: (known) => ({ channels, config: carrierTypes.configWith(known, settings) }),
          order,
        },
      )
      return { isRotated, ...(await testView(name, report)) }
    }),
    remove: os.remove.handler(async ({ input, context }) => {
      await administer.removeCarrier(adminOf(deps, context), input.name)
      return OK
    }),
    whatsappTemplate: os.whatsappTemplate.handler(async ({ input: { name, ...request } }) => {
      const { template, languages } = await carriers.whatsappTemplate(name, request)
      return { template, languages: [...languages] }
    }),
    explain: os.explain.handler(({ input }) =>
      explainRoute({ ...deps, numbering, prices: deps.modes.live.prices, traffic: deps.node.traffic }, input),
    ),
    routes: os.routes.handler(async () => ({
      routes: (await store.read.routes.all()).map((route) => ({ ...route, providers: [...route.carriers] })),
    })),
    setRoute: os.setRoute.handler(async ({ input: { providers, ...input }, context }) => {
      const { channel, appId } = input
      const countries = countriesOf(input)
      await administer.setRoutes(adminOf(deps, context), { channel, appId, carriers: providers }, countries)
      return OK
    }),
    removeRoute: os.removeRoute.handler(async ({ input: { channel, country, appId }, context }) => {
      await administer.removeRoute(adminOf(deps, context), { channel, country, appId })
      return OK
    }),
  })
}

const typeView = (type: ListedType) => ({ ...type, channels: [...type.channels], settings: [...type.settings] })
