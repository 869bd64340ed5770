/** The page of notices: those that are open or over, and the ways by which they are told. */
import { Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { api } from '../api'
import { frameWords } from '../i18n/frame'
import { useWords } from '../i18n/words'
import { fromList } from '../parts/data-table'
import { PageHeader } from '../parts/page-header'
import { useMay } from '../session'
import { NoticeTable } from './notices/notice-table'
import { Ways } from './notices/ways'
import { noticeWords } from './notices/words'

export default function Notices() {
  const say = useWords(noticeWords)
  const common = useWords(frameWords)
  const may = useMay()('carriers')
  return (
    <>
      <PageHeader title={common.pages.notices} about={say.about} />
      <Stack gap="lg">
        <NoticeTable />
        {may && <Settings />}
      </Stack>
    </>
  )
}

function Settings() {
  const ways = useQuery(api.notices.ways.queryOptions())
  return <Ways {...fromList(ways.data?.ways, ways)} />
}
