/** Every skill a person can see: found by plain words, narrowed by filters, grouped by owner, and dealt with many at once. */
import { Button } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useEffect, useMemo } from 'react';
import { meQuery, refresh } from '@/api/queries';
import { failed, told } from '@/components/feedback';
import { useNames } from '@/components/names';
import { Page } from '@/components/page';
import { BulkBar } from './library/BulkBar';
import { useSwitch } from './library/cache';
import { type Library, LibraryContext } from './library/context';
import { deeds } from './library/deeds';
import { NothingHere } from './library/Empties';
import { FilterChips } from './library/Filters';
import { Groups } from './library/Groups';
import { Hits } from './library/Hits';
import { DropZone, ImportButton, ImportDialog, useImport } from './library/Import';
import { ListHead } from './library/ListHead';
import { SkillList } from './library/SkillList';
import { useSelection } from './library/selection';
import { Toolbar } from './library/Toolbar';
import { useRowKeys } from './library/useRowKeys';
import { isRanked, type LibrarySearch, listFilter } from './search';

export default function LibraryPage() {
  const search = useSearch({ from: '/shell/skills' });
  const navigate = useNavigate({ from: '/skills' });
  const change = (next: LibrarySearch) => void navigate({ search: next, replace: true, resetScroll: false });
  const importing = useImport();
  const library = useLibraryState();
  const filter = useMemo(() => listFilter(search), [search]);
  useRowKeys();

  // What is chosen belongs to what is shown: another view begins anew.
  const { clear } = library.selection;
  const view = JSON.stringify([filter, search.q]);
  useEffect(clear, [view, clear]);

  const empty = (
    <NothingHere search={search} change={change} chooseFiles={() => importing.archives.current?.click()} />
  );
  return (
    <LibraryContext value={library}>
      <Page
        title="Library"
        description="What your agents know, do and keep to."
        actions={
          <>
            <ImportButton importing={importing} />
            <Button component={Link} to="/skills/new" variant="filled" leftSection={<IconPlus size={16} />}>
              New skill
            </Button>
          </>
        }
      >
        <Toolbar search={search} change={change} />
        <FilterChips search={search} change={change} />
        {isRanked(search) ? (
          <Hits search={search} change={change} />
        ) : search.group ? (
          <Groups filter={filter} empty={empty} />
        ) : (
          <SkillList
            filter={filter}
            label="Skills"
            empty={empty}
            head={(total) => <ListHead key={view} total={total} filter={filter} />}
          />
        )}
      </Page>
      <BulkBar deleted={search.deleted ?? false} />
      <DropZone importing={importing} />
      <ImportDialog importing={importing} />
    </LibraryContext>
  );
}

function useLibraryState(): Library {
  const me = useQuery(meQuery).data;
  const names = useNames();
  const selection = useSelection();
  const { mutate } = useSwitch();
  const navigate = useNavigate();
  return useMemo(
    () => ({
      me,
      names,
      selection,
      open: ({ id }) => void navigate({ to: '/skills/$skillId', params: { skillId: id } }),
      turn: (skill, enabled) => mutate({ skill, enabled }),
      bringBack: (skill) => {
        deeds.bringBack
          .act(skill)
          .then(() => told(`${skill.title || skill.name} is back`), failed)
          .finally(() => refresh('skills'));
      },
    }),
    [me, names, selection, mutate, navigate],
  );
}
