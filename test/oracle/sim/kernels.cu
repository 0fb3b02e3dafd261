// Kernels for the simulator's tests against code of the real compiler. Expected results are computed in kernels.test.ts.
#include <cuda_fp16.h>
#include <cuda_bf16.h>
extern "C" {
__global__ void saxpy(int n, float a, const float*x, float*y){int i=blockIdx.x*blockDim.x+threadIdx.x; if(i<n) y[i]=a*x[i]+y[i];}
#define T 16
__global__ void sgemm(const float*A,const float*B,float*C,int n){__shared__ float s[T][T],t[T][T];int x=threadIdx.x,y=threadIdx.y;int r=blockIdx.y*T+y,c=blockIdx.x*T+x;float acc=0;for(int k=0;k<n;k+=T){s[y][x]=A[r*n+k+x];t[y][x]=B[(k+y)*n+c];__syncthreads();for(int i=0;i<T;i++)acc+=s[y][i]*t[i][x];__syncthreads();}C[r*n+c]=acc;}
__global__ void reduce(const float*x,float*o,int n){extern __shared__ float sm[];int t=threadIdx.x;float a=0;for(int i=blockIdx.x*blockDim.x+t;i<n;i+=gridDim.x*blockDim.x)a+=x[i];sm[t]=a;__syncthreads();for(int s=blockDim.x/2;s>0;s>>=1){if(t<s)sm[t]+=sm[t+s];__syncthreads();}if(t==0)atomicAdd(o,sm[0]);}
__global__ void hist(const unsigned char*d,unsigned*h,int n){__shared__ unsigned s[256];for(int i=threadIdx.x;i<256;i+=blockDim.x)s[i]=0;__syncthreads();for(int i=blockIdx.x*blockDim.x+threadIdx.x;i<n;i+=blockDim.x*gridDim.x)atomicAdd(&s[d[i]],1u);__syncthreads();for(int i=threadIdx.x;i<256;i+=blockDim.x)atomicAdd(&h[i],s[i]);}
__global__ void wsum(const int*x,int*o){int v=x[blockIdx.x*blockDim.x+threadIdx.x];for(int d=16;d;d>>=1)v+=__shfl_down_sync(~0u,v,d);if((threadIdx.x&31)==0)o[(blockIdx.x*blockDim.x+threadIdx.x)/32]=v;}
__global__ void fdivk(const float*a,const float*b,float*q,float*s,float*r,int n){int i=blockIdx.x*blockDim.x+threadIdx.x;if(i<n){q[i]=a[i]/b[i];s[i]=sqrtf(a[i]);r[i]=1.0f/b[i];}}
__global__ void ddiv(const double*a,const double*b,double*q,double*s,double*r,int n){int i=blockIdx.x*blockDim.x+threadIdx.x;if(i<n){q[i]=a[i]/b[i];s[i]=sqrt(a[i]);r[i]=1.0/b[i];}}
__global__ void idiv(const int*a,const int*b,int*q,int*r,unsigned*uq,unsigned*ur,long long*lq,unsigned long long*lr,int n){int i=blockIdx.x*blockDim.x+threadIdx.x;if(i<n){q[i]=a[i]/b[i];r[i]=a[i]%b[i];uq[i]=(unsigned)a[i]/(unsigned)b[i];ur[i]=(unsigned)a[i]%(unsigned)b[i];lq[i]=((long long)a[i]*12345678901LL)/b[i];lr[i]=((unsigned long long)a[i]*98765432101ULL)%(unsigned long long)(unsigned)b[i];}}
__global__ void trans(const float*x,float*o,int n){int i=blockIdx.x*blockDim.x+threadIdx.x;if(i<n){float v=x[i];o[i*8]=sinf(v);o[i*8+1]=cosf(v);o[i*8+2]=expf(v);o[i*8+3]=logf(fabsf(v));o[i*8+4]=powf(fabsf(v),1.7f);o[i*8+5]=tanhf(v);o[i*8+6]=__sinf(v);o[i*8+7]=exp2f(v);}}
__global__ void dtrans(const double*x,double*o,int n){int i=blockIdx.x*blockDim.x+threadIdx.x;if(i<n){double v=x[i];o[i*4]=sin(v);o[i*4+1]=exp(v);o[i*4+2]=log(fabs(v));o[i*4+3]=pow(fabs(v),1.7);}}
__device__ __noinline__ int callee(int x,int*p){ if(x>10) return p[x%3]*x; return x+1;}
__global__ void calls(int*o,int*p){int i=threadIdx.x;o[i]=callee(i,p)+callee(i*2,p);}
__global__ void sw(const int*x,int*o,int n){int i=blockIdx.x*blockDim.x+threadIdx.x;if(i>=n)return;int v=x[i],r;switch(v){case 0:r=i*3;break;case 1:r=i^0x55;break;case 2:r=i/7;break;case 3:r=i<<2;break;case 4:r=-i;break;case 5:r=~i;break;case 6:r=i%11;break;case 7:r=i*i;break;case 8: r=i+100;break;case 9:r=77;break;default:r=-1;}o[i]=r;}
__global__ void local(const int*x,int*o,int n){int a[32];int i=blockIdx.x*blockDim.x+threadIdx.x;for(int k=0;k<32;k++)a[(k*7+i)&31]=x[(i+k)%n];int s=0;for(int k=0;k<32;k++)s+=a[(x[i%n]+k)&31]*k;o[i]=s;}
__global__ void diverge(int*o){int t=threadIdx.x;int s=0;for(int i=0;i<t;i++){if(i&1)s+=i*t;else{s^=i;if(i>20)break;}}o[blockIdx.x*blockDim.x+t]=s;}
__global__ void half1(const __half*a,const __half*b,__half*o,int n){int i=blockIdx.x*blockDim.x+threadIdx.x;if(i<n){o[i]=__hfma(a[i],b[i],__hadd(a[i],b[i]));}}
__global__ void half2k(const __half2*a,const __half2*b,__half2*o,int n){int i=blockIdx.x*blockDim.x+threadIdx.x;if(i<n){o[i]=__hfma2(a[i],b[i],__hmul2(a[i],b[i]));}}
__global__ void bfk(const __nv_bfloat16*a,float*o,int n){int i=blockIdx.x*blockDim.x+threadIdx.x;if(i<n){o[i]=__bfloat162float(a[i])*2.f; }}
__global__ void conv(const float*f,const double*d,const int*x,const long long*l,int*oi,long long*ol,float*of,double*od,unsigned char*oc,short*os,int n){int i=blockIdx.x*blockDim.x+threadIdx.x;if(i<n){oi[i]=(int)f[i]+__float2int_rn(f[i])+__float2uint_ru(f[i])+__double2int_rd(d[i]);ol[i]=(long long)f[i]+(long long)d[i]+(unsigned long long)d[i];of[i]=(float)x[i]+(float)(unsigned)x[i]+(float)d[i]+(float)l[i]+(float)(unsigned long long)l[i];od[i]=(double)x[i]+(double)l[i]+(double)f[i]+(double)(unsigned long long)l[i];oc[i]=(unsigned char)f[i];os[i]=(short)d[i];}}
__global__ void atoms(int*p,unsigned*u,float*f,double*d,unsigned long long*l,int*old){int t=threadIdx.x+blockIdx.x*blockDim.x;old[t]=atomicAdd(p,t);atomicMax(p+1,t);atomicMin(p+2,t);atomicExch(p+3,t);atomicCAS(p+4,0,t+1);atomicAnd(u,~(1u<<(t&31)));atomicOr(u+1,1u<<(t&31));atomicXor(u+2,t);atomicInc(u+3,100);atomicDec(u+4,100);atomicAdd(f,1.0f);atomicAdd(d,0.5);atomicAdd(l,3ull);atomicMax(l+1,(unsigned long long)t);atomicCAS(l+2,0ull,5ull);}
__global__ void votes(const int*x,unsigned*o){int t=threadIdx.x;int v=x[t];o[t*6]=__ballot_sync(~0u,v>3);o[t*6+1]=__any_sync(~0u,v>8);o[t*6+2]=__all_sync(~0u,v>8);o[t*6+3]=__shfl_xor_sync(~0u,v,5);o[t*6+4]=__shfl_sync(~0u,v,t/2,16);o[t*6+5]=__match_any_sync(~0u,v);}
__global__ void votes2(const int*x,unsigned*o){int t=threadIdx.x;int v=x[t];if(t&1){unsigned m=__activemask();o[t]=__ballot_sync(0xaaaaaaaa,v>3)+m;o[t+32]=__shfl_up_sync(0xaaaaaaaa,v,2);}else{o[t]=__popc(v)+__ffs(v)+__clz(v)+__brev(v);__syncwarp(0x55555555);o[t+32]=1;}int pr;o[t+64]=__match_all_sync(~0u,v,&pr);o[t+96]=pr;}
__global__ void spin(int*lock,int*count){for(int i=0;i<2;i++){while(atomicCAS(lock,0,1)!=0);__threadfence();*count+=1;__threadfence();atomicExch(lock,0);}}
__constant__ float ctab[64];
__device__ int gvar=5;
__device__ int garr[100];
__device__ int *gptr=&garr[3];
__global__ void cons(const int*x,float*o){int t=threadIdx.x;o[t]=ctab[x[t]&63]+gvar+garr[t]+*gptr;}
__global__ void i64(const unsigned long long*a,const unsigned long long*b,unsigned long long*o,int n){int i=blockIdx.x*blockDim.x+threadIdx.x;if(i<n){unsigned long long x=a[i],y=b[i];x^=x>>33;x*=0xff51afd7ed558ccdULL;x^=y<<(y&63);x+=__umul64hi(x,y);x-=(long long)y>>(x&63);o[i]=x>y?x:~y; }}
__global__ void gen(int*g,int sel,int*o){__shared__ int sh[64];int lo[4];sh[threadIdx.x]=threadIdx.x;for(int k=0;k<4;k++)lo[k]=k*threadIdx.x;__syncthreads();int*p=sel==0?g:(sel==1?sh:lo);o[threadIdx.x]=p[threadIdx.x&3]; if(sel==1)atomicAdd(p,1);}
struct S{int a;float b[5];double c;char d;};
__global__ void strct(S s,double*o){o[threadIdx.x]=s.a+s.b[threadIdx.x%5]+s.c+s.d;}
__global__ void named(int*o){__shared__ int s[128];int t=threadIdx.x;if(t<64){s[t]=t;asm volatile("bar.arrive 1, 128;");}else{asm volatile("bar.sync 1, 128;");o[t]=s[t-64];}int c=__syncthreads_count(t&1);int a=__syncthreads_and(t<200),b=__syncthreads_or(t==500);if(t==0){o[0]=c;o[1]=a;o[2]=b;}}
__global__ void bitsk(const unsigned*x,unsigned*o){int t=threadIdx.x;unsigned v=x[t];o[t*8]=__byte_perm(v,~v,v&0x7777);o[t*8+1]=__funnelshift_l(v,~v,v&31);o[t*8+2]=__dp4a(v,0x01020304u,7u);o[t*8+3]=__vadd2(v,v);o[t*8+4]=__sad(v,5,t);o[t*8+5]=__usad(v,5,t);o[t*8+6]=__mul24(v,t);o[t*8+7]=__mulhi((int)v,(int)v*3);int r;asm("bfe.s32 %0,%1,%2,%3;":"=r"(r):"r"(v),"r"(t),"r"(5));o[t*8]+=r;asm("bfi.b32 %0,%1,%2,%3,%4;":"=r"(r):"r"(v),"r"(~v),"r"(t),"r"(5));o[t*8]^=r; asm("bfind.u32 %0,%1;":"=r"(r):"r"(v)); o[t*8]+=r;}
__global__ void rnd(const float*a,const float*b,const double*c,const double*d,float*o,double*p){int t=threadIdx.x;o[t*12]=__fadd_rz(a[t],b[t]);o[t*12+1]=__fadd_ru(a[t],b[t]);o[t*12+2]=__fmul_rd(a[t],b[t]);o[t*12+3]=__fmaf_rz(a[t],b[t],a[t]);o[t*12+4]=__fdiv_ru(a[t],b[t]);o[t*12+5]=__fsqrt_rd(a[t]);o[t*12+6]=fminf(a[t],b[t]);o[t*12+7]=fmaxf(a[t],b[t]);o[t*12+8]=__saturatef(a[t]);o[t*12+9]=floorf(a[t]);o[t*12+10]=rintf(b[t]);o[t*12+11]=roundf(b[t]);p[t*6]=__dadd_rz(c[t],d[t]);p[t*6+1]=__dmul_ru(c[t],d[t]);p[t*6+2]=__fma_rd(c[t],d[t],c[t]);p[t*6+3]=fmin(c[t],d[t]);p[t*6+4]=ceil(c[t]);p[t*6+5]=fmod(c[t],d[t]);}
__global__ void eights(int*o,const int*x,int n){int i=threadIdx.x;unsigned m=0xffu<<(i&24);int v=x[i],rounds=(x[i>>3]&3)+n;for(int r=0;r<rounds;r++)for(int k=4;k>0;k>>=1)v+=__shfl_xor_sync(m,v,k);o[i]=v;}
}
