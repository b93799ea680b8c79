import { Page } from '@/components/page';

export default function WorkspaceTab() {
  return <Page title="WorkspaceTab">…</Page>;
}
