/** Every part that pages are made of, on one page: in place of the console's own script and sheet, under the console's own policy. */
import '../../src/console/web/styles'
import '../../src/console/web/theme'
import { Badge, Button, MantineProvider, Stack, Text } from '@mantine/core'
import { ModalsProvider } from '@mantine/modals'
import { Notifications } from '@mantine/notifications'
import { IconKey } from '@tabler/icons-react'
import { QueryClientProvider, useInfiniteQuery } from '@tanstack/react-query'
import { createRootRoute, createRouter, type LinkProps, RouterProvider } from '@tanstack/react-router'
import { useState } from 'react'
import { createRoot } from 'react-dom/client'
import { api, client, paging, queries } from '../../src/console/web/api'
import { confirmByName } from '../../src/console/web/parts/confirm-by-name'
import { CopyBlock, CopyButton, SecretOnce } from '../../src/console/web/parts/copy'
import { DataTable, fromList, fromPages } from '../../src/console/web/parts/data-table'
import { EmptyState } from '../../src/console/web/parts/empty-state'
import { PageHeader } from '../../src/console/web/parts/page-header'
import { tellDone, tellProblem } from '../../src/console/web/parts/tell'
import { Time } from '../../src/console/web/parts/time'
import { cssVariables, styleNonce, theme } from '../../src/console/web/theme'

const AT = Date.UTC(2026, 0, 2, 3, 4, 5)

const COLORS = ['indigo', 'gray', 'red', 'orange', 'yellow', 'green', 'teal', 'blue', 'violet']

function Gallery() {
  const [isStored, setStored] = useState(false)
  const issues = useInfiniteQuery(
    api.issues.list.infiniteOptions({
      input: (after: string | undefined) => ({ appId: 'a1', mode: 'test' as const, after }),
      ...paging,
    }),
  )
  const empty = <EmptyState icon={IconKey} title="No keys yet" next="Make the first one." />
  return (
    <main id="content">
      <PageHeader title="Gallery" about="Every part">
        <Button onClick={() => tellDone('It is done')}>Tell</Button>
        <Button color="red" onClick={() => client.keys.revoke({ keyId: 'k1' }).catch(tellProblem)}>
          Fail
        </Button>
        <Button
          variant="light"
          onClick={() =>
            confirmByName({
              title: 'Revoke the key',
              name: 'sk_live_…abcd',
              consequence: 'Whoever uses it is refused from now on.',
              action: 'Revoke',
              run: () => client.keys.revoke({ keyId: 'k1' }),
            })
          }
        >
          Revoke
        </Button>
      </PageHeader>
      <Stack>
        <p>
          <Time at={AT} /> <Time at={AT} relative />
        </p>
        {COLORS.map((color) => (
          <p key={color}>
            {(['filled', 'light', 'outline', 'default'] as const).map((variant) => (
              <Badge key={variant} color={color} variant={variant}>
                {color}
              </Badge>
            ))}
            <Text span c={`var(--mantine-color-${color}-text)`}>
              {color}
            </Text>
          </p>
        ))}
        <p>
          sk_test_1 <CopyButton value="sk_test_1" what="Key" />
        </p>
        {!isStored && (
          <SecretOnce secret="sk_test_secret" label="Secret key" onDone={() => setStored(true)}>
            <CopyBlock label="Try it" value="curl -H 'Authorization: Bearer sk_test_secret' …" />
          </SecretOnce>
        )}
        <DataTable
          {...fromPages(issues)}
          label="Issues"
          keyOf={(row) => row.issueId}
          linkOf={(row) => ({ to: '/', hash: row.issueId }) as LinkProps}
          columns={[
            { key: 'id', header: 'Issue', cell: (row) => row.issueId },
            { key: 'price', header: 'Price', cell: (row) => row.price, isNumber: true },
            { key: 'made', header: 'Made', cell: (row) => <Time at={row.createdAt} />, isMinor: true },
          ]}
          empty={empty}
        />
        <DataTable
          {...fromList([], { error: null, refetch: () => {} })}
          label="Keys"
          keyOf={() => ''}
          columns={[]}
          empty={empty}
        />
      </Stack>
    </main>
  )
}

const router = createRouter({ routeTree: createRootRoute({ component: Gallery }), basepath: '/console' })

const place = document.getElementById('root')
if (place)
  createRoot(place).render(
    <MantineProvider
      theme={theme}
      defaultColorScheme="auto"
      cssVariablesResolver={cssVariables}
      getStyleNonce={() => styleNonce}
    >
      <QueryClientProvider client={queries}>
        <ModalsProvider modalProps={{ closeButtonProps: { 'aria-label': 'Close' } }}>
          <RouterProvider router={router as never} />
        </ModalsProvider>
        <Notifications />
      </QueryClientProvider>
    </MantineProvider>,
  )
