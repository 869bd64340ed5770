/** One template: a new one, or a new version of one. */
import { Anchor } from '@mantine/core'
import { IconTemplate } from '@tabler/icons-react'
import { useSuspenseQuery } from '@tanstack/react-query'
import { Link, useSearch } from '@tanstack/react-router'
import { api } from '../api'
import { MayNot } from '../frame/may-not'
import { useWords } from '../i18n/words'
import { EmptyState } from '../parts/empty-state'
import { PageHeader } from '../parts/page-header'
import { useAppScope } from '../scope'
import { useMay } from '../session'
import { draftOf, newDraft } from './templates/draft'
import { TemplateEditor } from './templates/editor'
import { templateWords } from './templates/words'

export default function TemplateEdit() {
  const say = useWords(templateWords)
  const may = useMay()
  const { appId } = useAppScope()
  const { template: templateId } = useSearch({ from: '/inside/templates/edit' })
  const { templates } = useSuspenseQuery(api.templates.list.queryOptions({ input: { appId } })).data
  const known = templates.find((template) => template.templateId === templateId)
  const back = (
    <Anchor component={Link} to="/templates" size="sm">
      {say.back}
    </Anchor>
  )
  if (templateId === undefined && !may('templates')) return <MayNot needs="templates" />
  if (templateId !== undefined && !known) return <EmptyState icon={IconTemplate} title={say.notFound} next={back} />
  const title = !known ? say.newTitle : may('templates') ? say.editTitle(known.name) : say.viewTitle(known.name)
  return (
    <>
      <PageHeader title={title}>{back}</PageHeader>
      <TemplateEditor
        key={`${appId} ${templateId}`}
        appId={appId}
        from={known ? draftOf(known) : newDraft()}
        isNew={!known}
        isBuiltIn={known?.isBuiltIn ?? false}
      />
    </>
  )
}
