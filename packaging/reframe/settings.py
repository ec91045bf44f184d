# SPDX-FileCopyrightText: The lbmsim authors
# SPDX-License-Identifier: BSD-3-Clause

"""Settings of ReFrame for lbmsim_check.py: a SLURM cluster to be written over, and this machine.

    reframe -C settings.py --system=cluster -c lbmsim_check.py -l
    LBMSIM=/opt/lbmsim/1.0.0/bin/lbmsim reframe -C settings.py --system=local -c lbmsim_check.py -r
"""

import os
import shlex

from reframe.core.backends import register_launcher
from reframe.core.launchers import JobLauncher


@register_launcher('lbmsim-mpirun')
class Mpirun(JobLauncher):
    """LBMSIM_MPIRUN, options included, as the job scripts have it; else the mpirun in PATH."""

    def command(self, job):
        words = shlex.split(os.environ.get('LBMSIM_MPIRUN', 'mpirun'))
        return [*map(shlex.quote, words), '-np', str(job.num_tasks)]


site_configuration = {
    'systems': [
        {
            'name': 'cluster',
            'descr': 'a SLURM cluster with invented names and numbers',
            'hostnames': ['login[0-9]+'],
            'modules_system': 'lmod',
            'stagedir': os.path.join(os.environ.get('SCRATCH', '.'), 'reframe', 'stage'),
            'partitions': [
                {
                    'name': 'cpu',
                    'scheduler': 'slurm',  # squeue: where there is no accounting
                    'launcher': 'srun',
                    'access': ['--partition=standard', '--account=project', '--exclusive'],
                    # How srun starts the MPI library; `srun --mpi=list` names the ways.
                    'env_vars': [['SLURM_MPI_TYPE', 'pmix']],
                    'environs': ['lbmsim'],
                    'processor': {'num_cpus': 128, 'num_cpus_per_core': 1, 'num_cpus_per_socket': 64, 'num_sockets': 2},
                    'max_jobs': 4,
                    'extras': {'lbmsim': {'max_nodes': 4}},
                },
                {
                    'name': 'gpu',
                    'scheduler': 'slurm',
                    'launcher': 'srun',
                    'access': ['--partition=gpu', '--account=project', '--exclusive'],
                    'env_vars': [['SLURM_MPI_TYPE', 'pmix']],
                    'environs': ['lbmsim'],
                    'devices': [{'type': 'gpu', 'num_devices': 4}],
                    'resources': [{'name': 'gpu', 'options': ['--gpus-per-node={num_gpus_per_node}']}],
                    'processor': {'num_cpus': 64, 'num_cpus_per_core': 1, 'num_cpus_per_socket': 32, 'num_sockets': 2},
                    'max_jobs': 4,
                    'extras': {
                        'lbmsim': {
                            'max_nodes': 4,
                            'reference': {
                                'LbmsimScaling': {
                                    'weak_512_peer_efficiency@1': [0.98, -0.02, None, '1'],
                                    'weak_512_gpu_efficiency': [0.95, -0.05, None, '1'],
                                },
                            },
                        },
                    },
                },
            ],
        },
        {
            'name': 'local',
            'descr': 'this machine, without a queue',
            'hostnames': ['.*'],
            'partitions': [
                {
                    'name': 'cpu',
                    'scheduler': 'local',
                    'launcher': 'lbmsim-mpirun',
                    'environs': ['lbmsim'],
                    'max_jobs': 1,  # timings want the machine for themselves
                    'extras': {
                        'lbmsim': {
                            'ranks_per_node': 2,
                            # Bounds of right or wrong: any two cores keep them.
                            'reference': {
                                'LbmsimDoctor': {'latency_inside_node': [1000, None, 0, 'us']},
                                'LbmsimScaling': {
                                    'weak_64_host_efficiency': [0.2, 0, None, '1'],
                                    'strong_64_host_efficiency': [0.2, 0, None, '1'],
                                },
                            },
                        },
                    },
                },
            ],
        },
    ],
    'environments': [
        {'name': 'lbmsim', 'modules': []},  # the site's module: ['lbmsim/1.0.0']
    ],
}
