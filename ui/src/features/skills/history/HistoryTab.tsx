/** The revisions of a skill, and what differs between two of them. */
import { Box, Button, Group, Select, Stack, Text, Title } from '@mantine/core';
import { IconArrowRight } from '@tabler/icons-react';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { meQuery } from '@/api/queries';
import { Loaded } from '@/components/page';
import { rightsOf } from '../rights';
import { useSkill } from '../useSkill';
import { Comparison } from './Comparison';
import { type Revision, revisionsQuery } from './queries';
import { RevisionRow } from './RevisionRow';

export default function HistoryTab() {
  const skill = useSkill();
  const me = useQuery(meQuery).data;
  const navigate = useNavigate();
  const search = useSearch({ strict: false });
  const query = useInfiniteQuery(revisionsQuery(skill.id));
  const to = typeof search.to === 'number' ? search.to : skill.revision;
  const from = typeof search.from === 'number' ? search.from : to - 1;
  const choose = (pair: { from: number; to: number }) =>
    void navigate({
      to: '/skills/$skillId/history',
      params: { skillId: skill.id },
      search: pair,
      resetScroll: false,
    });

  return (
    <Loaded query={query}>
      {(data) => {
        const revisions = data.pages.flatMap((page) => page.items as Revision[]);
        return (
          <Stack gap="xl">
            <Box component="section" aria-labelledby="revisions-title">
              <Title order={2} mb="sm" id="revisions-title">
                Revisions
              </Title>
              <Stack gap={6} component="ul" m={0} p={0} style={{ listStyle: 'none' }}>
                {revisions.map((revision) => (
                  <RevisionRow
                    key={revision.number}
                    skill={skill}
                    revision={revision}
                    shown={revision.number === to}
                    locked={!me || !rightsOf(me, skill).edit}
                    onShow={() => choose({ from: revision.number - 1, to: revision.number })}
                  />
                ))}
              </Stack>
              {query.hasNextPage && (
                <Button mt="sm" onClick={() => void query.fetchNextPage()} loading={query.isFetchingNextPage}>
                  Older revisions
                </Button>
              )}
            </Box>
            <Box component="section" aria-labelledby="compare-title">
              <Group justify="space-between" mb="sm" align="flex-end">
                <Title order={2} id="compare-title">
                  {from < 1 ? `What revision ${to} began with` : `What changed from ${from} to ${to}`}
                </Title>
                {skill.revision > 1 && (
                  <Group gap="xs" align="flex-end" wrap="nowrap">
                    <RevisionSelect
                      label="From"
                      latest={skill.revision}
                      value={Math.max(from, 1)}
                      onChange={(number) => choose({ from: number, to })}
                    />
                    <Box h={36} display="flex" style={{ alignItems: 'center' }}>
                      <IconArrowRight size={16} aria-hidden />
                    </Box>
                    <RevisionSelect
                      label="To"
                      latest={skill.revision}
                      value={to}
                      onChange={(number) => choose({ from, to: number })}
                    />
                  </Group>
                )}
              </Group>
              {from === to ? (
                <Text c="dimmed">That is the same revision twice. Choose another one.</Text>
              ) : (
                <Comparison id={skill.id} from={from} to={to} />
              )}
            </Box>
          </Stack>
        );
      }}
    </Loaded>
  );
}

type SelectProps = { label: string; latest: number; value: number; onChange: (number: number) => void };

function RevisionSelect({ label, latest, value, onChange }: SelectProps) {
  return (
    <Select
      label={label}
      w={112}
      searchable
      allowDeselect={false}
      value={String(value)}
      onChange={(number) => number && onChange(Number(number))}
      data={Array.from({ length: latest }, (_, at) => String(latest - at))}
    />
  );
}
