import { implement } from '@orpc/server'
import { seesApp } from '../../domain/access/operator'
import { isUrgent, type NoticeWay, shownTarget } from '../../domain/operations/notice'
import * as administer from '../../usecases/administer'
import { type AdminContext, type Administrator, type AdminServices, administratorOf, adminOf, OK } from '../context'
import { adminContract } from '../contract'

export function noticeProcedures(deps: AdminServices) {
  const os = implement(adminContract.notices).$context<AdminContext>()
  const { read } = deps.store
  const shown = async (notices: readonly administer.ToldNotice[], who: Administrator) => {
    const names = new Map((await read.notices.ways()).map(({ wayId, name }) => [wayId, name]))
    return notices.filter((notice) => sees(who, notice)).map((notice) => view(notice, names))
  }
  return os.router({
    open: os.open.handler(async ({ context }) => ({
      notices: await shown(await administer.listNotices(deps, 'open'), administratorOf(context)),
    })),
    list: os.list.handler(async ({ input: { after: before, limit }, context }) => {
      const notices = await administer.listNotices(deps, { before, limit: limit + 1 })
      const next = notices.length > limit ? notices[limit - 1]?.noticeId : undefined
      return {
        rows: await shown(notices.slice(0, limit), administratorOf(context)),
        ...(next !== undefined && { next }),
      }
    }),
    ways: os.ways.handler(async () => {
      return { ways: (await read.notices.ways()).map(viewWay) }
    }),
    addWay: os.addWay.handler(async ({ input: { name, channel, ...settings }, context }) => {
      const { way, newSecret } = await administer.addNoticeWay(adminOf(deps, context), { name, channel, settings })
      return { ...viewWay(way), ...(newSecret !== undefined && { secret: newSecret }) }
    }),
    removeWay: os.removeWay.handler(async ({ input, context }) => {
      await administer.removeNoticeWay(adminOf(deps, context), input.wayId)
      return OK
    }),
    testWay: os.testWay.handler(async ({ input, context }) => {
      const error = await administer.testNoticeWay(adminOf(deps, context), input.wayId)
      return error === undefined ? {} : { error }
    }),
  })
}

/** Operators of some apps are not told of the installation. */
const sees = (who: Administrator, { appId }: administer.ToldNotice) =>
  appId === undefined ? who.appIds === undefined : seesApp(who, appId)

const view = (
  { noticeId, kind, appId, facts, since, endedAt, messages }: administer.ToldNotice,
  names: ReadonlyMap<string, string>,
) => ({
  ...{ noticeId, kind, appId, facts: { ...facts }, isUrgent: isUrgent(kind), since, endedAt },
  told: messages.map(({ wayId, phase, status, error }) => ({ way: names.get(wayId) ?? wayId, phase, status, error })),
})

const viewWay = (way: NoticeWay) => {
  const { wayId, name, channel, createdAt } = way
  return { wayId, name, channel, target: shownTarget(way), createdAt }
}
