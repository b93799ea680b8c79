/** The audit log: what happened, by whom, in a chain that shows any later change. */
import { Button } from '@mantine/core';
import { IconDownload, IconLock } from '@tabler/icons-react';
import { Empty, Page } from '@/components/page';
import { saveFrom } from '@/components/saveAs';
import { useStanding } from '@/components/standing';
import { useBusy } from '@/components/useBusy';
import { AuditLog } from './AuditLog';
import { ChainStatus } from './ChainStatus';

export default function AuditPage() {
  const { admin, policyAdmin } = useStanding();
  const may = admin || policyAdmin;
  return (
    <Page
      title="Audit"
      description="What happened, by whom. Each entry seals the one before it, so that any later change shows."
      beside
      actions={may && <Export />}
    >
      {may ? (
        <>
          <ChainStatus />
          <AuditLog />
        </>
      ) : (
        <Empty icon={IconLock} title="For admins and policy admins">
          The log tells what everybody did, so not everybody reads it. Ask an admin for the role, or look at
          your own conversations and runs instead.
        </Empty>
      )}
    </Page>
  );
}

function Export() {
  const { busy, doing } = useBusy();
  const take = () =>
    doing(() =>
      saveFrom('/api/v1/audit/export', `repertoire-audit-${new Date().toISOString().slice(0, 10)}.jsonl`),
    );
  return (
    <Button leftSection={<IconDownload size={18} />} loading={busy} onClick={() => void take()}>
      Export
    </Button>
  );
}
